/** The longest name that the API accepts. */
export const maxNameCharacters = 100;

/** Returns why a name is refused, or null. */
export function checkOrganizationName(value: string): string | null {
  return value.trim() === '' ? 'Enter a name for the organization' : null;
}
