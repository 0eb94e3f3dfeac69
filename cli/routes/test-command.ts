import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { z } from 'zod';
import { createCredentialSource } from '#lambdas/inference/providers/credentials.ts';
import {
  type RouteTest,
  type TestedRequest,
  type TestedTarget,
  testRoute,
} from '#lambdas/inference/routing/route-test.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { type OperationName, operations } from '#lambdas/request-log/operation.ts';
import { routeInUse } from '#lambdas/routing/item.ts';
import { findUsableRoutes } from '#lambdas/routing/store.ts';
import { type CommandContext, openCommandContext } from '../command-context.ts';
import { readOrUsageError, usageError } from '../errors.ts';
import { organizationId, readOptions } from '../options.ts';
import { requireActiveOrganization } from '../organizations/organizations.ts';
import { textTable } from '../text-table.ts';

const operationNames = operations.join(', ');
const testOptions = z.object({
  organization: organizationId,
  operation: z.enum(operations, `must be one of ${operationNames}`),
  request: z.string().optional(),
  session: z.string().min(1).optional(),
});

export function addTestCommand(group: Command): void {
  group
    .command('test')
    .description('say which target would serve a request, and why; nothing is sent to a provider')
    .argument('<name>', 'name of the route, without route/')
    .requiredOption('--organization <id>', 'organization that sends the request')
    .option('--operation <name>', `operation: ${operationNames}`, 'chat.completions')
    .option('--request <file>', 'JSON body of the request (default: a short prompt)')
    .option('--session <id>', 'session of the request, which keeps its target by weight')
    .addHelpText('after', testHelp)
    .action(async (name: string, _options: object, command: Command) => {
      const options = readOptions(command, testOptions);
      const body =
        options.request === undefined ? exampleBodies[options.operation] : readBody(options.request);
      const context = await openCommandContext(command);
      const organization = await requireActiveOrganization(context.directory, options.organization);
      const { target, targets } = await test(context, {
        name,
        organization,
        operation: options.operation,
        body,
        sessionId: options.session ?? null,
      });
      const result =
        target === null ? 'No target could serve the request.' : `${target} would serve the request.`;
      context.show({ json: { target, targets }, text: `${result}\n\n${targetTable(targets)}` });
    });
}

async function test(
  { directoryTable, providerSettings, providerSecret, prices, now }: CommandContext,
  tested: Omit<TestedRequest, 'route'>,
): Promise<RouteTest> {
  const { own, operators } = await findUsableRoutes(directoryTable, tested.organization.id);
  const { name } = tested;
  const route = routeInUse(name, own, operators);
  if (route === null) throw usageError(`There is no route ${name}: "route list" shows the routes`);
  const { client, tableName } = prices;
  const sources = {
    settings: providerSettings,
    credentials: createCredentialSource({ read: providerSecret.read, now, onFailure: () => {} }),
    region: await client.config.region(),
    customPrices: { calls: createSdkTableCalls(client), tableName },
    now,
  };
  try {
    return await testRoute(sources, { ...tested, route });
  } catch (error) {
    return readOrUsageError(() => {
      throw error;
    });
  }
}

/** Throws an `AdminError` that names the file. */
function readBody(file: string): JsonObject {
  const body = parseJsonObject(readText(file));
  if (body === null) throw usageError(`${file} must contain a JSON object: the body of a request`);
  return body;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw usageError(`${file} cannot be read: pass the file with the body of a request`);
  }
}

const prompt = [{ role: 'user', content: 'Hello' }];

const exampleBodies: Readonly<Record<OperationName, JsonObject>> = {
  'chat.completions': { messages: prompt },
  embeddings: { input: 'Hello' },
  messages: { messages: prompt, max_tokens: 1000 },
  responses: { input: 'Hello' },
};

function targetTable(targets: readonly TestedTarget[]): string {
  return textTable(
    ['TARGET', 'DECISION', 'REASON', 'SHARE', 'ABOUT USD'],
    targets.map(({ model, decision, reason, param, share, cost_usd }) => [
      model,
      decision,
      reason === null ? '' : `${reason}${param === null ? '' : ` (${param})`}`,
      share === null ? '' : `${Math.round(share * 1000) / 10} %`,
      cost_usd === null ? 'unknown' : String(cost_usd),
    ]),
  );
}

const testHelp = `
Targets are shown in the order in which they are tried: "first" would serve the request, "next" follows if that fails, "spare" would
need more attempts than the route allows. Failures of a moment ago, for which a function skips a target, are not considered.

Examples:
  npm run admin -- route test chat --organization org_4fTgQ0wZ6uKc1vXb
  npm run admin -- route test chat --organization org_4fTgQ0wZ6uKc1vXb --request request.json --operation messages`;
