import { Form as BaseForm } from '@base-ui/react/form';
import { type ReactNode, useContext, useEffect, useMemo, useRef } from 'react';
import { ApiError } from '#dashboard/api/client.ts';
import { Notice } from '../feedback/notice.tsx';
import { ClosingContext } from '../overlay/closing.ts';
import { useSubmitGuard } from './submit-guard.ts';

interface FormProps<Field extends string> {
  fields: readonly Field[];
  /** Error of the last submission: shown at the field that it is about, otherwise above the form's content. */
  error: Error | null;
  /** Submits again only when the promise has settled. Its error is `error`. */
  onSubmit: (values: Record<Field, string>) => unknown;
  className?: string;
  children: ReactNode;
}

/** A form that validates on submission, submits once, shows errors at their fields and focuses the first. */
export function Form<Field extends string>({
  fields,
  error,
  onSubmit,
  className,
  children,
}: FormProps<Field>) {
  const submit = useSubmitGuard();
  const isClosing = useContext(ClosingContext);
  const form = useRef<HTMLFormElement>(null);
  const field = error instanceof ApiError ? fieldOf(error.param, fields) : undefined;
  // The form shows errors again whenever this object changes.
  const errors = useMemo(() => (field && error ? { [field]: error.message } : {}), [field, error]);

  useEffect(() => {
    for (const name of Object.keys(errors)) {
      const control = form.current?.elements.namedItem(name);
      if (control instanceof HTMLInputElement) control.select();
    }
  }, [errors]);

  return (
    <BaseForm
      ref={form}
      className={className}
      errors={errors}
      onFormSubmit={(values: Record<Field, string>) => isClosing || submit(() => onSubmit(values))}
    >
      {error && field === undefined && (
        <div className="mb-4">
          <Notice tone="danger" role="alert">
            {error.message}
          </Notice>
        </div>
      )}
      {children}
    </BaseForm>
  );
}

/** The field that has the parameter, or the innermost that contains it, such as `models` for `models[3]`. */
export function fieldOf<Field extends string>(
  param: string | null,
  fields: readonly Field[],
): Field | undefined {
  return fields
    .filter((name) => param === name || param?.startsWith(`${name}[`) || param?.startsWith(`${name}.`))
    .toSorted((one, other) => other.length - one.length)[0];
}
