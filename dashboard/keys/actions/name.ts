export const maxNameCharacters = 100;

/** Returns why a key's name is refused, or null. */
export function checkName(value: string): string | null {
  return value.trim() === '' ? 'Enter a name' : null;
}
