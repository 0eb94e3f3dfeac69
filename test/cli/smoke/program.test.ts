import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runSmoke } from '#cli/smoke/program.ts';
import { awsCredentials, describeStacksResponse } from '#test/support/aws/fake-account.ts';
import { type FakeAwsService, startFakeAwsService } from '#test/support/aws/fake-service.ts';
import {
  errorBody,
  type FakeGateway,
  fakeEmbeddingModel,
  fakeModel,
  startFakeGateway,
} from '#test/support/fake-gateway.ts';
import { runInTerminal } from '#test/support/run-in-terminal.ts';

const apiKey = 'pt_live_abcdefghijklmnopqrstuvwxyz012345';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway(apiKey);
});
afterEach(() => gateway.stop());

/** Durations are replaced by 0. */
async function smoke(commandLine: string[], environment: Record<string, string> = {}) {
  const run = await runInTerminal((terminal) => runSmoke(commandLine, terminal), { environment });
  return { ...run, stdout: run.stdout.replaceAll(/\b\d+ ms\b/g, '0 ms') };
}

it('prints a line for each check, and succeeds if all have passed', async () => {
  const key = ['--key', apiKey, '--model', fakeModel, '--embedding-model', fakeEmbeddingModel];
  expect(await smoke(['--url', `${gateway.baseUrl}/`, ...key])).toEqual({
    exitCode: 0,
    stdout: [
      'ok      REST API      refuses an unknown key (0 ms)',
      'ok      REST API      refuses an unknown model (0 ms)',
      'ok      REST API      passes events on as they are written (0 ms, lateness of the events: 0 0 0 0 ms)',
      'ok      REST API      creates embeddings (0 ms)',
      'ok      REST API      streams a completion (0 ms, longest gap of 3 events: 0 ms)',
      'ok      REST API      returns its log entry with tokens and cost (0 ms)',
      'ok      REST API      lists the log entry (0 ms)',
      'ok      REST API      includes it in the costs (0 ms)',
      'All 8 checks passed\n',
    ].join('\n'),
    stderr: '',
  });
});

it('fails with what was expected, and never prints the key', async () => {
  gateway.replace('completion', { status: 502, body: errorBody('provider_error', 'api_error') });
  const result = await smoke(['--url', gateway.baseUrl, '--model', fakeModel], { GATEWAY_API_KEY: apiKey });

  expect(result).toEqual({
    exitCode: 1,
    stdout: expect.stringContaining(
      'FAILED  REST API      streams a completion (0 ms): Expected 200, got 502 provider_error\n',
    ),
    stderr: 'error: 1 of 4 checks failed\n',
  });
  expect(result.stdout).not.toContain(apiKey);
});

it('checks the function URL too, and prints JSON', async () => {
  gateway.replace('unknown key', { status: 500, body: '' });
  const endpoints = ['--url', gateway.baseUrl, '--chat-url', gateway.baseUrl];
  const { exitCode, stdout } = await smoke([...endpoints, '--key', apiKey, '--json']);

  const error = 'Expected 401 invalid_api_key, got 500 without an error code';
  const failed = { check: 'unknown_key_refused', ok: false, duration_ms: expect.any(Number), error };
  const passed = { check: 'unknown_model_refused', ok: true, duration_ms: expect.any(Number), error: null };
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    ok: false,
    checks: ['rest_api', 'function_url'].flatMap((endpoint) => [
      { endpoint, ...failed },
      { endpoint, ...passed },
      { endpoint, ...passed, check: 'events_on_time', event_lateness_ms: [0, 0, 0, 0] },
    ]),
  });
});

describe('With --stack', () => {
  let cloudFormation: FakeAwsService;

  async function smokeStack(outputs: Record<string, string>) {
    cloudFormation = await startFakeAwsService(() => describeStacksResponse(outputs));
    const variables = { ...awsCredentials, AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.endpoint };
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    return smoke(['--stack', 'Production', '--region', 'eu-west-3', '--key', apiKey]);
  }

  afterEach(async () => {
    vi.unstubAllEnvs();
    await cloudFormation.stop();
  });

  it("checks both URLs of the stack's outputs", async () => {
    const result = await smokeStack({ ApiBaseUrl: gateway.baseUrl, ChatUrl: gateway.baseUrl });

    expect({ ...result, stdout: result.stdout.trimEnd().split('\n').sort() }).toEqual({
      exitCode: 0,
      stdout: [
        'All 6 checks passed',
        'ok      REST API      passes events on as they are written (0 ms, lateness of the events: 0 0 0 0 ms)',
        'ok      REST API      refuses an unknown key (0 ms)',
        'ok      REST API      refuses an unknown model (0 ms)',
        'ok      function URL  passes events on as they are written (0 ms, lateness of the events: 0 0 0 0 ms)',
        'ok      function URL  refuses an unknown key (0 ms)',
        'ok      function URL  refuses an unknown model (0 ms)',
      ],
      stderr: '',
    });
    expect(cloudFormation.requests[0]?.body).toContain('StackName=Production');
    expect(cloudFormation.requests[0]?.authorization).toContain('/eu-west-3/cloudformation/');
  });

  it('fails for a stack that is not a gateway', async () => {
    expect(await smokeStack({ ApiBaseUrl: gateway.baseUrl })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'error: Stack "Production" has no output "ChatUrl": check that it is a gateway stack deployed with this version\n',
    });
    expect(gateway.requests).toEqual([]);
  });
});

it.each<[string, string[], string]>([
  ['neither stack nor URL', ['--key', apiKey], 'Pass --stack NAME, or --url URL for a local gateway'],
  [
    'a stack and a URL',
    ['--stack', 'Production', '--url', 'https://api.example.com', '--key', apiKey],
    "option '--url <url>' cannot be used with option '--stack <name>' (see --help)",
  ],
  [
    'a stack and a function URL',
    ['--stack', 'Production', '--chat-url', 'https://api.example.com', '--key', apiKey],
    "option '--chat-url <url>' cannot be used with option '--stack <name>' (see --help)",
  ],
  [
    'a profile without a stack',
    ['--url', 'https://api.example.com', '--profile', 'work', '--key', apiKey],
    '--profile requires --stack NAME',
  ],
  [
    'an invalid URL',
    ['--url', 'api.example.com', '--key', apiKey],
    '--url must be a URL that begins with https:// or http://, without query or password',
  ],
  [
    'no key',
    ['--url', 'https://api.example.com'],
    'Pass an API key with --key, or in the environment variable GATEWAY_API_KEY',
  ],
  [
    'a model without provider',
    ['--url', 'https://api.example.com', '--key', apiKey, '--model', 'gpt-4o'],
    '--model must be a model with its provider, such as openai/gpt-4o-mini',
  ],
])('refuses a command line with %s', async (_, commandLine, error) => {
  expect(await smoke(commandLine)).toEqual({ exitCode: 2, stdout: '', stderr: `error: ${error}\n` });
});
