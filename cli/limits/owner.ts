/** The owner of the rate limits that a command changes: an organization, a key, or the defaults for new keys. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { RateLimits } from '#lambdas/access/rate-limits.ts';
import { changeDefaultRateLimits, changeRateLimits } from '#lambdas/limits/rates/changes.ts';
import type { RateLimitScope } from '#lambdas/limits/rates/rate-limits.ts';
import type { RateLimitChange, RateLimitDefaultName } from '#lambdas/limits/rates/store.ts';
import type { CommandContext } from '../command-context.ts';
import { usageError } from '../errors.ts';
import { readScope } from '../keys/scope.ts';
import { keyId, organizationId } from '../options.ts';

const defaultNames = { 'new-keys': 'new_keys', 'member-keys': 'member_keys' } as const;

export const ownerOptions = {
  organization: organizationId,
  key: keyId.nullable().default(null),
  default: z
    .enum(['new-keys', 'member-keys'], 'must be new-keys or member-keys')
    .transform((name): RateLimitDefaultName => defaultNames[name])
    .nullable()
    .default(null),
};

export function addOwnerOptions(command: Command): Command {
  return command
    .requiredOption('--organization <id>', 'organization that the limits are for, or that owns the key')
    .option('--key <id>', 'only the requests with this key (default: all of the organization)')
    .option(
      '--default <keys>',
      'limits that keys get when they are created: new-keys, or member-keys for those that users with the role "member" create',
    );
}

interface OwnerOptions {
  organization: string;
  key: string | null;
  default: RateLimitDefaultName | null;
}

export interface LimitOwner {
  scope: RateLimitScope;
  defaultName: RateLimitDefaultName | null;
}

export async function readOwner(
  context: Pick<CommandContext, 'directory' | 'note'>,
  options: OwnerOptions,
  { acceptsRevoked }: { acceptsRevoked: boolean },
): Promise<LimitOwner> {
  if (options.key !== null && options.default !== null) {
    throw usageError('--key and --default cannot be used together');
  }
  const scope = await readScope(context, options, { shared: 'rate limits', acceptsRevoked });
  return { scope, defaultName: options.default };
}

/** Resolves to the change that was made. */
export async function changeLimits(
  { directoryTable, openAuditTrail }: Pick<CommandContext, 'directoryTable' | 'openAuditTrail'>,
  { scope, defaultName }: LimitOwner,
  changeOf: (limits: RateLimits | null) => RateLimits | null,
): Promise<RateLimitChange> {
  const audit = await openAuditTrail();
  if (defaultName === null) return changeRateLimits(directoryTable, scope, changeOf, audit);
  const { organizationId } = scope;
  return changeDefaultRateLimits(directoryTable, { organizationId, name: defaultName }, changeOf, audit);
}
