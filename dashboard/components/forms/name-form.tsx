import { useState } from 'react';
import { Button } from '../button.tsx';
import { hasInvisible } from '../values/foreign-text.tsx';
import { Form } from './form.tsx';
import { TextField, type TextFieldProps } from './text-field.tsx';

/** The longest name that the API accepts. */
const maxNameCharacters = 100;

const emptyNameErrors = {
  person: 'Enter your name',
  organization: 'Enter a name for the organization',
  key: 'Enter a name',
} as const;

/** From here on, the number of characters is shown. */
const countedFrom = 80;

type NameOwner = keyof typeof emptyNameErrors;

interface NameFieldProps extends Omit<TextFieldProps, 'label' | 'name' | 'hint' | 'maxLength' | 'validate'> {
  of: NameOwner;
}

/** The name of a person, an organization or a key, as the field `name` of a form. Nothing that is entered is cut off. */
export function NameField({ of, autoComplete = 'off', onValueChange, ...field }: NameFieldProps) {
  const [entered, setEntered] = useState(field.value ?? '');
  const count = countCharacters(entered);
  return (
    <TextField
      label="Name"
      name="name"
      autoComplete={autoComplete}
      hint={count >= countedFrom && `${count} of ${maxNameCharacters} characters`}
      validate={(text) => checkName(text, of)}
      onValueChange={(text) => {
        setEntered(text);
        onValueChange?.(text);
      }}
      {...field}
    />
  );
}

/** As the API counts them: without surrounding and repeated spaces. */
function countCharacters(name: string): number {
  return [
    ...name
      .trim()
      .replaceAll(/\p{Zs}+/gu, ' ')
      .normalize('NFC'),
  ].length;
}

/** Returns why a name is refused, or `null`. */
export function checkName(name: string, of: NameOwner): string | null {
  const count = countCharacters(name);
  if (count === 0) return emptyNameErrors[of];
  if (count > maxNameCharacters) return `The name must have 1 to ${maxNameCharacters} characters`;
  return hasInvisible(name.trim()) ? 'The name has a character that cannot be seen' : null;
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
