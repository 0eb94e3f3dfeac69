/**
 * The addresses that an invitation lets sign up: one item for each address and organization, with the pending invitation. A
 * newer invitation replaces it, so that one address has one pending invitation of an organization.
 */
import { type AccountsTable, type ItemKey, queryItems } from '../accounts-table.ts';
import { addressPartition } from '../schema.ts';

const prefix = 'invitation#';

export function invitedAddressKey(organizationId: string, email: string): ItemKey {
  return { pk: addressPartition(email), sk: prefix + organizationId };
}

/** Whether an organization has a pending invitation for the address. */
export async function isInvited(table: AccountsTable, email: string, now: Date): Promise<boolean> {
  const items = await queryItems(table, addressPartition(email), prefix);
  // DynamoDB deletes expired items late.
  return items.some(({ valid_until }) => Date.parse(String(valid_until)) > now.getTime());
}
