import { errorFields, type Log } from '#lambdas/platform/telemetry/log.ts';
import { type KeyRevocation, listKeyRevocations } from './pending.ts';
import { type RevocationDependencies, revokeKeysOfMember } from './revoke-keys.ts';

interface KeyRevocationsDependencies extends RevocationDependencies {
  log: Log;
}

/**
 * Revokes the keys of all removed members. Rejects if that has failed for one of them: Lambda then invokes the function again.
 * Once `signal` is aborted, it stops and resolves, since each batch that it has revoked starts another invocation.
 */
export function createKeyRevocations(
  dependencies: KeyRevocationsDependencies,
): (signal: AbortSignal) => Promise<void> {
  const { directoryTable, log } = dependencies;
  return async (signal) => {
    let failures = 0;
    for (const pending of await listKeyRevocations(directoryTable)) {
      try {
        await revokeKeysOfMember(dependencies, pending, signal);
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        log.error('key_revocation_failed', { ...logFields(pending), ...errorFields(error) });
      }
    }
    if (failures > 0) throw new Error('Keys of removed members were not revoked: see key_revocation_failed');
  };
}

function logFields({ organizationId, userId, removedAt }: KeyRevocation) {
  return { organization_id: organizationId, user_id: userId, removed_at: removedAt };
}
