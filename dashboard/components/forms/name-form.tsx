import { useState } from 'react';
import { Button } from '../button.tsx';
import { Form } from './form.tsx';
import { TextField, type TextFieldProps } from './text-field.tsx';

/** The longest name that the API accepts. */
const maxNameCharacters = 100;

const emptyNameErrors = {
  person: 'Enter your name',
  organization: 'Enter a name for the organization',
  key: 'Enter a name',
} as const;

interface NameFieldProps extends Omit<TextFieldProps, 'label' | 'name' | 'maxLength' | 'validate'> {
  of: keyof typeof emptyNameErrors;
}

/** The name of a person, an organization or a key, as the field `name` of a form. */
export function NameField({ of, autoComplete = 'off', ...field }: NameFieldProps) {
  return (
    <TextField
      label="Name"
      name="name"
      autoComplete={autoComplete}
      maxLength={maxNameCharacters}
      validate={(text) => (text.trim() === '' ? emptyNameErrors[of] : null)}
      {...field}
    />
  );
}

interface NameFormProps extends Pick<NameFieldProps, 'of' | 'autoComplete' | 'placeholder'> {
  /** Null if there is none yet. */
  name: string | null;
  /** The error of the last change. */
  error: Error | null;
  isPending: boolean;
  onSave: (name: string) => Promise<unknown>;
}

/** Changes a name in one line. */
export function NameForm({ name, error, isPending, onSave, ...field }: NameFormProps) {
  const [value, setValue] = useState(name ?? '');
  const newName = value.trim();
  return (
    <Form
      fields={['name']}
      error={error}
      onSubmit={() => onSave(newName)}
      className="flex w-full items-start gap-2 sm:w-80"
    >
      <NameField hiddenLabel value={value} onValueChange={setValue} {...field} />
      <Button type="submit" pending={isPending} disabled={newName === (name ?? '')}>
        Save
      </Button>
    </Form>
  );
}
