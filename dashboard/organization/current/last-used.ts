/** Remembers the organization whose view was shown last, so that the dashboard opens there. */

const storageKey = 'organization';

export function lastUsedOrganization(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    // Without storage, the dashboard opens with the first organization.
    return null;
  }
}

export function rememberOrganization(organizationId: string): void {
  try {
    localStorage.setItem(storageKey, organizationId);
  } catch {
    // As above.
  }
}
