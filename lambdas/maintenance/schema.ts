/**
 * The items in which the scheduled functions keep their progress: a partition of the cost rollups table, whose other partitions
 * begin with the id of an organization or with `quarantine#`.
 */
import type { ItemKey } from '#lambdas/costs/rollups/schema.ts';

export const recoveryProgressKey: ItemKey = { pk: 'maintenance', sk: 'recover-requests' };
export const verificationProgressKey: ItemKey = { pk: 'maintenance', sk: 'verify-rollups' };
