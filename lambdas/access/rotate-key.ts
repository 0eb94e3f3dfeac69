/** Rotates an API key: creates its replacement, and lets the old key expire after an overlap. */

import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import { type Creator, creatorOf } from '#lambdas/audit/record.ts';
import { dayMs } from '#lambdas/platform/duration.ts';
import { hashApiKey, isActiveApiKey, issueApiKey } from './api-key.ts';
import type { ApiKey, Directory, Organization } from './directory.ts';
import { keyRevocationDelayMs } from './key-lookup.ts';

/** Functions cache keys for this long: after a shorter overlap, they would still accept the old key. */
export const minOverlapMs = keyRevocationDelayMs;
export const maxOverlapMs = 90 * dayMs;

interface RotationRequest {
  organization: Organization;
  old: ApiKey;
  /** The remaining lifetime of the old key: `minOverlapMs` to `maxOverlapMs`. It may expire earlier by itself. */
  overlapMs: number;
  audit: AuditTrail;
}

export interface Rotation {
  key: string;
  apiKey: ApiKey;
  replaced: ApiKey;
}

/** Both in one transaction. Returns `null` when the old key is revoked or expired, or the organization is deleted. */
export async function rotateApiKey(
  { directory }: { directory: Pick<Directory, 'rotateApiKey' | 'findApiKey'> },
  { organization, old, overlapMs, audit }: RotationRequest,
): Promise<Rotation | null> {
  let current: ApiKey | null = old;
  for (;;) {
    const createdAt = audit.now();
    if (current === null || !isActiveApiKey(current, createdAt)) return null;
    const { key, apiKey } = issueReplacement(organization, current, {
      createdAt,
      rotatedBy: creatorOf(audit.actor),
    });
    const overlapEnd = new Date(createdAt.getTime() + overlapMs).toISOString();
    const oldExpiresAt = earlierOf(current.expires_at, overlapEnd);
    const replacement = { apiKey, keyHash: hashApiKey(key), oldExpiresAt };
    const result = await directory.rotateApiKey(current, replacement, audit);
    if (result === 'rotated') return { key, apiKey, replaced: { ...current, expires_at: oldExpiresAt } };
    if (result === 'no organization') return null;
    current = await directory.findApiKey(organization.id, old.id);
  }
}

function issueReplacement(
  { id: organizationId, log_shards: logShards }: Organization,
  old: ApiKey,
  { createdAt, rotatedBy }: { createdAt: Date; rotatedBy: Creator },
) {
  const { key, apiKey } = issueApiKey({
    organizationId,
    name: old.name,
    createdAt,
    createdBy: old.created_by,
    expiresAt: old.expires_at ?? undefined,
    logShards,
  });
  // Both keys spend the same budgets.
  const budgetKeyId = old.budget_key_id ?? old.id;
  return { key, apiKey: { ...apiKey, rotated_by: rotatedBy, budget_key_id: budgetKeyId } };
}

/** All timestamps have the same format, so they can be compared as text. */
function earlierOf(expiresAt: string | null, other: string): string {
  return expiresAt !== null && expiresAt < other ? expiresAt : other;
}
