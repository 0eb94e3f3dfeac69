import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { DialogActions } from './dialog.tsx';

interface FormActionsProps {
  onCancel: () => void;
  variant?: 'primary' | 'danger';
  /** Whether the form is being submitted. */
  pending: boolean;
  disabled?: boolean;
  /** The label of the button that submits the form. */
  children: ReactNode;
}

/** The end of a dialog's form: cancel and submit. */
export function FormActions({
  onCancel,
  variant = 'primary',
  pending,
  disabled,
  children,
}: FormActionsProps) {
  return (
    <DialogActions>
      <Button onClick={onCancel}>Cancel</Button>
      <Button type="submit" variant={variant} pending={pending} disabled={disabled}>
        {children}
      </Button>
    </DialogActions>
  );
}
