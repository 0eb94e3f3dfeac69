import { RadioCards } from '#dashboard/components/forms/radio-cards.tsx';

/** The fate of the keys of somebody who leaves. */
export type KeysChoice = 'revoke' | 'keep';

interface KeysFieldProps {
  /** For the keys of another member, or of the user. */
  possessive: 'their' | 'your';
  count: number;
  revocationSeconds: number;
  value: KeysChoice;
  onValueChange: (value: KeysChoice) => void;
}

/** Asks whether active keys are revoked or kept. */
export function KeysField({ possessive, count, revocationSeconds, value, onValueChange }: KeysFieldProps) {
  return (
    <RadioCards
      label={`What happens to ${possessive} ${countKeys(count, 'active ')}?`}
      name="keys"
      value={value}
      onValueChange={onValueChange}
      options={[
        {
          value: 'revoke',
          label: 'Revoke',
          description: `Requests are refused within ${revocationSeconds} seconds. This cannot be undone.`,
        },
        {
          value: 'keep',
          label: 'Keep active',
          description: `They stay listed under ${possessive} name, marked as left. Admins can revoke them later.`,
        },
      ]}
    />
  );
}

/** Returns the end of a button's label, such as "and revoke 3 keys"; empty without keys. */
export function keysSuffix(choice: KeysChoice, count: number): string {
  return count === 0 ? '' : ` and ${choice} ${countKeys(count)}`;
}

function countKeys(count: number, adjective = ''): string {
  return `${count} ${adjective}${count === 1 ? 'key' : 'keys'}`;
}
