/** Commands that list and change the models that an organization or a key may use. */
import type { Command } from 'commander';
import { z } from 'zod';
import { keyRevocationDelayMs } from '#lambdas/access/key-lookup.ts';
import { readModelPatterns } from '#lambdas/access/models/allow-list.ts';
import { type ModelList, type ModelListOwner, setAllowedModels } from '#lambdas/access/models/changes.ts';
import { findKeyModels } from '#lambdas/access/models/read.ts';
import { type CommandContext, openCommandContext } from '../command-context.ts';
import { readOrUsageError, usageError } from '../errors.ts';
import { readScope, scopeJson } from '../keys/scope.ts';
import { keyId, organizationId, readOptions } from '../options.ts';

const patternHelp = 'patterns of models, such as openai/* anthropic/claude-* route/*';

export const modelsOption = ['--models <patterns...>', patternHelp] as const;

/** Throws an `AdminError`. */
export function readModelsOption(patterns: readonly string[]): readonly string[] {
  return readOrUsageError(() => readModelPatterns(patterns));
}

export function addOrganizationModelsCommand(group: Command): void {
  const command = group
    .command('models')
    .description('show or change the models that the keys of an organization may use');
  addChangeOptions(command.requiredOption('--organization <id>', 'organization id'))
    .addHelpText('after', `${help}\n  npm run admin -- org models ${organizationExample} --models 'openai/*'`)
    .action(async (_options: object, command: Command) => {
      const options = readOptions(command, z.object({ organization: organizationId, ...changeOptions }));
      await showOrChange(command, { ...options, key: null });
    });
}

export function addKeyModelsCommand(group: Command): void {
  const command = group
    .command('models')
    .description('show or change the models that a key may use, as far as its organization may')
    .requiredOption('--organization <id>', 'organization that owns the key')
    .requiredOption('--key <id>', 'key id, as shown by "key list"');
  addChangeOptions(command)
    .addHelpText('after', `${help}${keyExamples}`)
    .action(async (_options: object, command: Command) => {
      const schema = z.object({ organization: organizationId, key: keyId, ...changeOptions });
      await showOrChange(command, readOptions(command, schema));
    });
}

const changeOptions = { models: z.array(z.string()).optional(), all: z.literal(true).optional() };

function addChangeOptions(command: Command): Command {
  return command.option(...modelsOption).option('--all', 'all models');
}

interface ModelsOptions {
  organization: string;
  key: string | null;
  models?: string[];
  all?: true;
}

async function showOrChange(command: Command, options: ModelsOptions): Promise<void> {
  const { models, all } = options;
  if (models !== undefined && all) throw usageError('--models and --all cannot be used together');
  const changed: ModelList | undefined = all ? null : models && readModelsOption(models);
  const context = await openCommandContext(command);
  const scope = await readScope(context, options, {
    shared: 'allowed models',
    acceptsRevoked: changed === undefined || changed === null,
  });
  if (changed === undefined) return showModels(context, scope, await findModels(context, scope));
  await setAllowedModels(context.directoryTable, scope, changed, await context.openAuditTrail());
  showModels(context, scope, changed, effectText);
}

async function findModels(
  { directory, directoryTable }: CommandContext,
  { organizationId, keyId }: ModelListOwner,
): Promise<ModelList> {
  if (keyId === null) return (await directory.findOrganization(organizationId))?.models ?? null;
  return (await findKeyModels(directoryTable, organizationId, [keyId])).get(keyId) ?? null;
}

const effectText = `\n\nThe change takes effect within ${keyRevocationDelayMs / 1000} seconds.`;

function showModels({ show }: CommandContext, scope: ModelListOwner, models: ModelList, note = ''): void {
  const text = models === null ? 'All models are allowed.' : models.join('\n');
  show({ json: { ...scopeJson(scope), models }, text: text + note });
}

const organizationExample = '--organization org_4fTgQ0wZ6uKc1vXb';

const help = `
Without --models and --all, the command shows the patterns. In a pattern, * stands for any characters. It is compared with the name
that a request uses, with its provider: a route is route/NAME, whatever its targets are. Requests for other models are refused with
status 403, and GET /ai/models does not list them. Both the organization's list and that of the key must allow a model.

Examples:`;

const keyExamples = `
  npm run admin -- key models ${organizationExample} --key key_9Hs2LmQe7RtYw0Za --models 'openai/*' 'route/*'
  npm run admin -- key models ${organizationExample} --key key_9Hs2LmQe7RtYw0Za --all

A key that has replaced another one ("key rotate") shares the list of the first one.`;
