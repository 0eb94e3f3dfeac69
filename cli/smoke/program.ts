/** `npm run smoke`: checks a deployed gateway from outside, with the canary's checks. */
import { setTimeout } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { apiKeyPrefix } from '#lambdas/access/api-key.ts';
import type { Endpoint } from '#lambdas/canary/checks/client.ts';
import { type CheckResult, defaultMaxDurationMs, runChecks } from '#lambdas/canary/checks/run-checks.ts';
import { addStackOptions, stackOptions } from '../connection/stack-options.ts';
import { AdminError, usageError } from '../errors.ts';
import { readOptions } from '../options.ts';
import { createProgram, runProgram } from '../run-program.ts';
import { processTerminal, type Terminal } from '../terminal.ts';
import { readGatewayUrls } from './gateway-urls.ts';
import { resultJson, resultLine, summaryLine } from './result.ts';

const help = `
Checks that an unknown key and an unknown model are refused. With --model, also sends one small streamed request,
and waits for its log entry and its cost: within a minute. With --embedding-model, also requests two embeddings. The
requests are billed to the organization of the key.
A failed check ends those that depend on it.

With --stack, checks both URLs of a deployed gateway, which are the stack's outputs ApiBaseUrl and ChatUrl. Set
GATEWAY_API_KEY instead of --key to keep the key out of the shell's history.

Examples:
  GATEWAY_API_KEY=… npm run smoke -- --stack AiGateway --model openai/gpt-4o-mini
  npm run smoke -- --url http://127.0.0.1:3000 --chat-url http://127.0.0.1:3001 --model demo/demo-1

Exit codes: 0 all checks passed, 1 a check failed, 2 invalid command line.`;

/** Resolves to the exit code, after everything has been printed. */
export function runSmoke(commandLine: readonly string[], terminal = processTerminal): Promise<number> {
  return runProgram(smokeProgram(terminal), commandLine, terminal);
}

function smokeProgram(terminal: Terminal): Command {
  const program = createProgram('npm run smoke --', terminal).description(
    'Check that a gateway works, as its clients use it.',
  );
  return addStackOptions(program, 'check this deployed stack')
    .addOption(new Option('--url <url>', 'base URL of the REST API, instead of --stack').conflicts('stack'))
    .addOption(new Option('--chat-url <url>', 'also check this function URL').conflicts('stack'))
    .option('--key <key>', 'API key (default: the environment variable GATEWAY_API_KEY)')
    .option('--model <provider/model>', 'also send a request to this model')
    .option('--embedding-model <provider/model>', 'also request embeddings of this model')
    .option('--json', 'print JSON only')
    .addHelpText('after', help)
    .action((_options: object, command: Command) => smoke(command, terminal));
}

const baseUrl = z.string().transform((text, context) => {
  const url = URL.parse(text);
  const isBaseUrl =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    !/[?#]/.test(text) &&
    url.username === '' &&
    !url.password;
  if (isBaseUrl) return text.replace(/\/+$/, '');
  context.addIssue('must be a URL that begins with https:// or http://, without query or password');
  return z.NEVER;
});

const modelName = z
  .string()
  .regex(/^[^/\s]+\/\S+$/, 'must be a model with its provider, such as openai/gpt-4o-mini')
  .optional();

const smokeOptions = z.object({
  ...stackOptions,
  url: baseUrl.optional(),
  chatUrl: baseUrl.optional(),
  key: z.string().optional(),
  model: modelName,
  embeddingModel: modelName,
  json: z.boolean().default(false),
});

async function smoke(command: Command, { output, environment }: Terminal): Promise<void> {
  const { key, model, embeddingModel, json, ...gateway } = readOptions(command, smokeOptions);
  const apiKey = key ?? environment.GATEWAY_API_KEY ?? '';
  if (apiKey === '')
    throw usageError('Pass an API key with --key, or in the environment variable GATEWAY_API_KEY');
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw usageError(`--key must be an API key, which begins with ${apiKeyPrefix}`);
  const { url, chatUrl } = await readGatewayUrls(gateway, environment);
  const endpoints: Endpoint[] = [
    { name: 'rest_api', baseUrl: url },
    ...(chatUrl === undefined ? [] : [{ name: 'function_url', baseUrl: chatUrl } as const]),
  ];
  const results = await Promise.all(
    endpoints.map((endpoint) =>
      runChecks(
        {
          endpoint,
          reportsUrl: url,
          apiKey,
          deletedApiKey: null,
          model: model ?? null,
          embeddingModel: embeddingModel ?? null,
          maxDurationMs: defaultMaxDurationMs,
          clock: { now: Date.now, wait: (ms) => setTimeout(ms) },
        },
        (result) => {
          if (!json) output.write(`${resultLine(result)}\n`);
        },
      ),
    ),
  );
  report(results.flat(), { json, output });
}

function report(
  results: readonly CheckResult[],
  { json, output }: Pick<Terminal, 'output'> & { json: boolean },
): void {
  const failed = results.filter(({ error }) => error !== null);
  if (json) output.write(`${JSON.stringify(resultJson(results), null, 2)}\n`);
  if (failed.length > 0) throw new AdminError(summaryLine(results));
  if (!json) output.write(`${summaryLine(results)}\n`);
}
