import type { Command } from 'commander';
import { z } from 'zod';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import { keyRevocationDelayMs } from '#lambdas/access/key-lookup.ts';
import { newKeyModels } from '#lambdas/access/models/changes.ts';
import { creatorOf } from '#lambdas/audit/record.ts';
import { readNewKeyRateLimits } from '#lambdas/limits/rates/changes.ts';
import { openCommandContext } from '../command-context.ts';
import { addKeyModelsCommand, modelsOption, readModelsOption } from '../models/model-commands.ts';
import { displayName, keyId, organizationId, readOptions, timestamp } from '../options.ts';
import { organizationDeletedError, requireActiveOrganization } from '../organizations/organizations.ts';
import { keyNotFoundError, keyTable, newKeyText } from './key-text.ts';
import { addListCommand } from './list-command.ts';
import { addRotateCommand } from './rotate-command.ts';

export function addKeyCommands(program: Command): void {
  const group = program.command('key').description('API keys that callers use');
  addCreateCommand(group);
  addListCommand(group);
  addRotateCommand(group);
  addRevokeCommand(group);
  addKeyModelsCommand(group);
}

const createOptions = z.object({
  organization: organizationId,
  name: displayName,
  expiresAt: timestamp.refine((timestampMs) => timestampMs > Date.now(), 'must be in the future').optional(),
  models: z.array(z.string()).optional(),
});

function addCreateCommand(group: Command): void {
  group
    .command('create')
    .description('create an API key and print it (it is not shown again)')
    .requiredOption('--organization <id>', 'organization that owns the key')
    .requiredOption('--name <name>', 'display name')
    .option('--expires-at <time>', 'expiry as an RFC 3339 timestamp (default: never)')
    .option(...modelsOption)
    .addHelpText(
      'after',
      `
Examples:
  npm run admin -- key create --organization org_4fTgQ0wZ6uKc1vXb --name production
  npm run admin -- key create --organization org_4fTgQ0wZ6uKc1vXb --name trial --expires-at 2027-01-31T00:00:00Z
  npm run admin -- key create --organization org_4fTgQ0wZ6uKc1vXb --name batch --models 'openai/*' 'route/*'`,
    )
    .action(async (_options: object, command: Command) => {
      const { organization, name, expiresAt, models: patterns } = readOptions(command, createOptions);
      const models = patterns && readModelsOption(patterns);
      const { directory, directoryTable, openAuditTrail, now, note, show } =
        await openCommandContext(command);
      await requireActiveOrganization(directory, organization);
      const audit = await openAuditTrail();
      const { key, apiKey } = issueApiKey({
        organizationId: organization,
        name,
        createdAt: now(),
        createdBy: creatorOf(audit.actor),
        expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
      });
      const rateLimits = await readNewKeyRateLimits(directoryTable, apiKey, 'other');
      const also = [rateLimits?.change ?? [], models ? newKeyModels(apiKey, models) : []].flat();
      const isCreated = await directory.createApiKey(apiKey, hashApiKey(key), audit, ...also);
      if (!isCreated) throw organizationDeletedError(organization);
      if (rateLimits !== null) {
        note(`the key has the rate limits that the organization sets for new keys: see "limit list"`);
      }
      const text = `${keyTable([apiKey], now())}\n\n${newKeyText(key)}`;
      show({ json: { ...apiKey, key, ...(models && { models }) }, text });
    });
}

const revokeOptions = z.object({ organization: organizationId, key: keyId });

function addRevokeCommand(group: Command): void {
  group
    .command('revoke')
    .description(
      `permanently revoke an API key; it may still be accepted for up to ${keyRevocationDelayMs / 1000} seconds`,
    )
    .requiredOption('--organization <id>', 'organization that owns the key')
    .requiredOption('--key <id>', 'key id, as shown by "key list"')
    .addHelpText(
      'after',
      '\nExample:\n  npm run admin -- key revoke --organization org_4fTgQ0wZ6uKc1vXb --key key_9Hs2LmQe7RtYw0Za',
    )
    .action(async (_options: object, command: Command) => {
      const { organization, key } = readOptions(command, revokeOptions);
      const { directory, openAuditTrail, now, show } = await openCommandContext(command);
      const apiKey = await directory.revokeApiKey(organization, key, await openAuditTrail());
      if (apiKey === null) throw keyNotFoundError(key, organization);
      show({ json: apiKey, text: keyTable([apiKey], now()) });
    });
}
