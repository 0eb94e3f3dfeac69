/** Rotates an API key: creates its replacement, and lets the old key end after an overlap. */

import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { type Creator, creatorOf } from '#lambdas/audit/record.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { hashApiKey, isActiveApiKey, issueApiKey } from '../api-key.ts';
import type { ApiKey, Directory, Organization } from '../directory.ts';
import { keyRevocationDelayMs } from '../key-lookup.ts';

/** The shortest overlap, unless there is none. Functions cache keys for this long: after a shorter one, they would still accept the old key. */
export const minOverlapMs = keyRevocationDelayMs;
export const maxOverlapMs = 90 * dayMs;

interface RotationRequest {
  organization: Organization;
  old: ApiKey;
  /**
   * The remaining lifetime of the old key: `minOverlapMs` to `maxOverlapMs`; 0 revokes it at once. Its owner may have set an
   * earlier end.
   */
  overlapMs: number;
  audit: AuditTrail;
}

export interface Rotation {
  key: string;
  apiKey: ApiKey;
  replaced: ApiKey;
}

/**
 * Both in one transaction. Returns `null` when the old key is revoked or expired, or the organization is deleted. Throws a
 * `GatewayError` (409) for a key whose replacement is active: otherwise a repetition after a lost response would leave several
 * keys of which nobody knows which is used.
 */
export async function rotateApiKey(
  { directory }: { directory: Pick<Directory, 'rotateApiKey' | 'findApiKey'> },
  { organization, old, overlapMs, audit }: RotationRequest,
): Promise<Rotation | null> {
  let current: ApiKey | null = old;
  for (;;) {
    const createdAt = audit.now();
    if (current === null || !isActiveApiKey(current, createdAt)) return null;
    await requireNoReplacement({ directory }, current, createdAt);
    const { key, apiKey } = issueReplacement(organization.id, current, {
      createdAt,
      rotatedBy: creatorOf(audit.actor),
    });
    const overlapEnd = new Date(createdAt.getTime() + overlapMs).toISOString();
    const replacement = { apiKey, keyHash: hashApiKey(key), overlapEnd, revokesOld: overlapMs === 0 };
    const result = await directory.rotateApiKey(current, replacement, audit);
    if (result === 'no organization') return null;
    if (result !== 'old changed') return { key, apiKey, replaced: result.replaced };
    current = await directory.findApiKey(organization.id, old.id);
  }
}

/** A replacement that has ended by itself cannot be rotated: the old key can then be rotated again. */
async function requireNoReplacement(
  { directory }: { directory: Pick<Directory, 'findApiKey'> },
  { organization_id, rotation }: ApiKey,
  now: Date,
): Promise<void> {
  if (rotation === null) return;
  const replacement = await directory.findApiKey(organization_id, rotation.replacement_id);
  if (replacement === null || !isActiveApiKey(replacement, now)) return;
  throw new GatewayError('conflict', {
    message: `This API key is already replaced by ${rotation.replacement_id}: if that key was lost, rotate it instead`,
  });
}

function issueReplacement(
  organizationId: string,
  old: ApiKey,
  { createdAt, rotatedBy }: { createdAt: Date; rotatedBy: Creator },
) {
  const { key, apiKey } = issueApiKey({
    organizationId,
    name: old.name,
    createdAt,
    createdBy: old.created_by,
    expiresAt: old.expires_at ?? undefined,
  });
  // Both keys spend the same budgets.
  const budgetKeyId = old.budget_key_id ?? old.id;
  return { key, apiKey: { ...apiKey, rotated_by: rotatedBy, budget_key_id: budgetKeyId } };
}
