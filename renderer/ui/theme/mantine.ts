/** Mantine dressed in our tokens: compact sizes, small radii, one accent; everything else it draws takes its colours from tokens.css. */
import {
  ActionIcon,
  Button,
  Checkbox,
  type CSSVariablesResolver,
  createTheme,
  Menu,
  Modal,
  ModalRoot,
  NumberInput,
  Popover,
  SegmentedControl,
  Select,
  Slider,
  Switch,
  Tabs,
  Textarea,
  TextInput,
  Tooltip,
} from '@mantine/core';
import classes from './mantine.module.css';

const inputs = { defaultProps: { size: 'xs' }, classNames: { input: classes.input as string } };

export const theme = createTheme({
  fontFamily: 'var(--font-text)',
  fontFamilyMonospace: 'var(--font-mono)',
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 5 },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  colors: {
    accent: [
      '#f3f3fd',
      '#ededfb',
      '#d5d5f7',
      '#b5b5f2',
      '#8b8bf5',
      '#5f5fdc',
      '#5b5bd6',
      '#4e4ec6',
      '#4a4ac4',
      '#32328c',
    ],
  },
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '24px', xl: '28px' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '10px', xl: '12px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  headings: { fontWeight: '600' },
  components: {
    Button: Button.extend({ defaultProps: { size: 'xs' }, classNames: { root: classes.button as string } }),
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray', size: 28 } }),
    TextInput: TextInput.extend(inputs),
    NumberInput: NumberInput.extend(inputs),
    Textarea: Textarea.extend(inputs),
    Select: Select.extend({
      defaultProps: { size: 'xs', allowDeselect: false, checkIconPosition: 'right', comboboxProps: { shadow: 'md' } },
      classNames: { input: classes.input as string, option: classes.option as string },
    }),
    Checkbox: Checkbox.extend({ defaultProps: { size: 'xs' } }),
    Switch: Switch.extend({ defaultProps: { size: 'sm', withThumbIndicator: false } }),
    Slider: Slider.extend({ defaultProps: { size: 4 } }),
    SegmentedControl: SegmentedControl.extend({
      defaultProps: { size: 'xs', transitionDuration: 120 },
      classNames: {
        root: classes.segments as string,
        indicator: classes.segment as string,
        label: classes.segmentLabel as string,
      },
    }),
    Tabs: Tabs.extend({ classNames: { list: classes.tabList as string, tab: classes.tab as string } }),
    Tooltip: Tooltip.extend({
      defaultProps: {
        openDelay: 350,
        offset: 6,
        multiline: true,
        withinPortal: true,
        events: { hover: true, focus: true, touch: false },
        transitionProps: { duration: 100, transition: 'fade' },
      },
      classNames: { tooltip: classes.tooltip as string },
    }),
    Popover: Popover.extend({
      defaultProps: { transitionProps: { duration: 100, transition: 'fade' }, shadow: 'md' },
      classNames: { dropdown: classes.dropdown as string },
    }),
    Menu: Menu.extend({
      defaultProps: { transitionProps: { duration: 80, transition: 'fade' }, offset: 4, shadow: 'md' },
      classNames: {
        dropdown: classes.dropdown as string,
        item: classes.menuItem as string,
        label: classes.menuLabel as string,
      },
    }),
    ModalRoot: ModalRoot.extend({
      defaultProps: { lockScroll: false, transitionProps: { duration: 120, transition: 'fade' } },
      classNames: { content: classes.modal as string },
    }),
    // The frame never scrolls as a whole, so nothing needs locking; the lock would also want a style element of its own.
    Modal: Modal.extend({
      defaultProps: {
        lockScroll: false,
        centered: true,
        transitionProps: { duration: 120, transition: 'fade' },
        overlayProps: { backgroundOpacity: 0.35 },
      },
      classNames: {
        content: classes.modal as string,
        header: classes.modalHeader as string,
        body: classes.modalBody as string,
        title: classes.modalTitle as string,
      },
    }),
  },
});

const shared = {
  '--mantine-color-body': 'var(--bg-app)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--text-2)',
  '--mantine-color-placeholder': 'var(--text-3)',
  '--mantine-color-error': 'var(--bad-text)',
  '--mantine-color-anchor': 'var(--accent-text)',
  '--mantine-color-default': 'var(--bg-surface)',
  '--mantine-color-default-hover': 'var(--bg-sunken)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--border-strong)',
  '--mantine-color-disabled': 'var(--bg-sunken)',
  '--mantine-color-disabled-color': 'var(--text-off)',
  '--mantine-color-disabled-border': 'var(--border)',
  '--mantine-primary-color-filled': 'var(--accent-fill)',
  '--mantine-primary-color-filled-hover': 'var(--accent-fill-hover)',
  '--mantine-primary-color-light': 'var(--accent-tint)',
  '--mantine-primary-color-light-color': 'var(--accent-text)',
  '--mantine-color-accent-filled': 'var(--accent-fill)',
  '--mantine-color-accent-filled-hover': 'var(--accent-fill-hover)',
  '--mantine-color-accent-light': 'var(--accent-tint)',
  '--mantine-color-accent-light-color': 'var(--accent-text)',
  '--mantine-color-accent-light-hover': 'var(--accent-tint)',
  '--mantine-color-red-filled': 'var(--bad-fill)',
  '--mantine-color-red-filled-hover': 'var(--bad-fill)',
  '--mantine-color-red-light': 'var(--bad-tint)',
  '--mantine-color-red-light-hover': 'var(--bad-tint)',
  '--mantine-color-red-light-color': 'var(--bad-text)',
  '--mantine-color-gray-light-hover': 'var(--bg-hover)',
  '--mantine-color-gray-light-color': 'var(--text-2)',
};

/** Mantine's own variables, said by ours. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: { '--mantine-shadow-md': 'var(--shadow-pop)', '--mantine-shadow-sm': 'var(--shadow-pop)' },
  light: shared,
  dark: shared,
});
