/** A value on a line, told while it is dragged. */
import { Slider as MantineSlider } from '@mantine/core';
import classes from './slider.module.css';

export interface SliderProps {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  format: (value: number) => string;
  onChange: (value: number) => void;
  disabled?: boolean;
}

export function Slider({ label, value, min, max, step, format, onChange, disabled = false }: SliderProps) {
  return (
    <MantineSlider
      className={classes.slider as string}
      thumbLabel={label}
      value={value}
      min={min}
      max={max}
      step={step}
      label={format}
      scale={(raw) => Number(raw.toFixed(6))}
      disabled={disabled}
      onChange={(next) => next !== value && onChange(next)}
    />
  );
}
