/** Everything that pages may take from the component kit. */
export * from './basics/buttons.tsx';
export { type Column, DataTable, type DataTableProps, type Sorting } from './basics/data-table.tsx';
export { fuzzy, search } from './basics/fuzzy.ts';
export type { IconProp } from './basics/icon.tsx';
export * from './basics/meters.tsx';
export * from './basics/notices.tsx';
export * from './basics/overlays.tsx';
export * from './basics/page.tsx';
export * from './basics/page-boundary.tsx';
export * from './basics/palette.tsx';
export * from './basics/search-field.tsx';
export * from './basics/skeleton.tsx';
export * from './basics/splitter.tsx';
export * from './basics/text.tsx';
export * from './basics/text-field.tsx';
export * from './format.ts';
export { categoryColor, seriesColor, seriesCount, seriesIndex } from './theme/colors.ts';
export { UiProvider, type UiProviderProps } from './theme/provider.tsx';
