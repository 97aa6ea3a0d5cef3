import type { ReactNode } from 'react';
import type { FieldDescriptor } from './field-descriptor.ts';
import type { FieldValue } from './form-values.ts';

/** What every field component gets; it knows nothing of the form around it. */
export interface FieldProps<T extends FieldValue> {
  readonly field: FieldDescriptor;
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly onBlur?: () => void;
  /** For the focus after a failed attempt to save. */
  readonly inputRef?: (element: HTMLElement | null) => void;
  /** What is wrong with the value, in words. */
  readonly problem?: ReactNode;
}
