import { classNames } from './class-names.ts';

type Size = 'small' | 'medium' | 'large';

const personSizes: Record<Size, string> = {
  small: 'size-6 text-[0.625rem]',
  medium: 'size-8 text-xs',
  large: 'size-12 text-base',
};

const organizationSizes: Record<Size, string> = {
  small: 'size-6 rounded-md text-xs',
  medium: 'size-8 rounded-lg text-sm',
  large: 'size-12 rounded-xl text-xl',
};

const organizationColours = [
  'bg-avatar-1',
  'bg-avatar-2',
  'bg-avatar-3',
  'bg-avatar-4',
  'bg-avatar-5',
  'bg-avatar-6',
] as const;

interface PersonAvatarProps {
  person: { name: string | null; email: string };
  size?: Size;
}

/** The initials of a person, beside the name. */
export function PersonAvatar({ person, size = 'medium' }: PersonAvatarProps) {
  return (
    <span
      aria-hidden
      className={classNames(
        'flex shrink-0 items-center justify-center rounded-full bg-accent-soft font-semibold text-accent',
        personSizes[size],
      )}
    >
      {initials(person.name, person.email)}
    </span>
  );
}

interface OrganizationAvatarProps {
  organization: { id: string; name: string };
  size?: Size;
}

/** The initial of an organization in a colour of its own, beside the name. */
export function OrganizationAvatar({ organization, size = 'small' }: OrganizationAvatarProps) {
  const { id, name } = organization;
  return (
    <span
      aria-hidden
      className={classNames(
        'flex shrink-0 items-center justify-center font-semibold text-white',
        organizationSizes[size],
        colourOf(id),
      )}
    >
      {(Array.from(name.trim())[0] ?? '').toUpperCase()}
    </span>
  );
}

function colourOf(text: string): string {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return organizationColours[sum % organizationColours.length] ?? organizationColours[0];
}

/** Returns one or two capital letters for a name, or for an address if there is no name. */
export function initials(name: string | null, email: string): string {
  const words = (name ?? '').split(/[\s-]+/).filter((word) => /^\p{L}/u.test(word));
  const [first, last] = [words.at(0), words.length > 1 ? words.at(-1) : undefined];
  return [first ?? email, last]
    .map((word) => Array.from(word ?? '').at(0) ?? '')
    .join('')
    .toUpperCase();
}
