import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type BedrockSignerOptions,
  createBedrockSigner,
  type SigningTask,
} from '#lambdas/inference/providers/bedrock/sign.ts';
import { readAwsAccess } from '#lambdas/platform/environment.ts';
import { exampleCaller } from '#test/support/aws-caller.ts';
import { fc } from '#test/support/fast-check.ts';
import { expectAccepted, prepareBedrock } from '#test/support/providers/bedrock/call.ts';
import { type BedrockUpstream, startBedrockUpstream } from '#test/support/providers/bedrock/upstream.ts';
import { exchange, providerCall } from '#test/support/providers/provider-call.ts';

const role = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
const model = 'us.anthropic.claude-haiku-4-5-20251001-v1:0';
const body = '{"messages":[{"role":"user","content":[{"text":"Grüße 🙂"}]}]}';

let upstream: BedrockUpstream;
beforeAll(async () => {
  upstream = await startBedrockUpstream({ expectedRole: role, expectedApiKey: 'sk-1' });
});
afterAll(() => upstream.stop());
afterEach(() => void vi.unstubAllEnvs());

/** The environment that Lambda gives a function, and none of what this machine may have. */
function asInLambda(differences: Record<string, string | undefined> = {}): void {
  const environment: Record<string, string | undefined> = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: role.accessKeyId,
    AWS_SECRET_ACCESS_KEY: role.secretAccessKey,
    AWS_SESSION_TOKEN: 'token',
    AWS_BEARER_TOKEN_BEDROCK: undefined,
    AWS_ENDPOINT_URL: undefined,
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: undefined,
    ...differences,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
}

/** As the chat function makes it at its start. */
function signerAt(endpoint: Pick<BedrockSignerOptions, 'baseUrl' | 'region'>) {
  const aws = { access: readAwsAccess(), now: () => new Date() };
  const sign = createBedrockSigner({ ...endpoint, aws });
  return async (task: SigningTask) => sign(task);
}

describe('signing for Bedrock', () => {
  it('is done by the role of the function, for its own region', async () => {
    asInLambda();
    const sign = signerAt({ baseUrl: '', region: null });

    const { url, headers, ...rest } = await sign({ model, streamed: true, body, apiKey: null });

    expect(url.href).toBe(
      'https://bedrock-runtime.eu-west-1.amazonaws.com/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream',
    );
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      host: 'bedrock-runtime.eu-west-1.amazonaws.com',
      'x-amz-security-token': 'token',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request, /,
      ),
    });
    expect(headers).not.toHaveProperty('content-length');
    expect(rest).toEqual({ body });
  });

  it('is done for the region of the settings', async () => {
    asInLambda();
    const sign = signerAt({ baseUrl: '', region: 'us-east-1' });

    const { url, headers } = await sign({ model, streamed: false, body, apiKey: null });

    expect(url.host).toBe('bedrock-runtime.us-east-1.amazonaws.com');
    expect(headers.authorization).toContain('/us-east-1/bedrock/aws4_request');
  });

  it('holds for what goes over the wire, whatever the text', async () => {
    asInLambda();
    const call = providerCall({ model, messages: [{ role: 'user', content: 'Grüße 🙂' }] }, { apiKey: null });
    const { outgoing } = await exchange(prepareBedrock(upstream.baseUrl), call, { body: { output: {} } });

    const answer = await fetch(outgoing.url, {
      method: 'POST',
      headers: Object.fromEntries(Object.entries(outgoing.headers).filter(([name]) => name !== 'host')),
      body: outgoing.body,
    });

    expect(answer.status).toBe(200);
  });

  it('gives way to an API key, even where the environment has another', async () => {
    asInLambda({ AWS_BEARER_TOKEN_BEDROCK: 'of-the-environment' });
    const sign = signerAt({ baseUrl: '', region: null });

    const keyed = await sign({ model, streamed: false, body, apiKey: 'sk-1' });
    const signed = await sign({ model, streamed: false, body, apiKey: null });
    const rotated = await sign({ model, streamed: false, body, apiKey: 'sk-2' });

    expect(keyed.headers.authorization).toBe('Bearer sk-1');
    expect(keyed.headers).not.toHaveProperty('x-amz-security-token');
    expect(signed.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 /);
    expect(rotated.headers.authorization).toBe('Bearer sk-2');
  });

  it('does not mix requests that are signed at once', async () => {
    asInLambda();
    const sign = signerAt({ baseUrl: '', region: null });
    const models = Array.from({ length: 20 }, (_, index) => `amazon.model-${index}`);

    const requests = await Promise.all(
      models.map((name, index) =>
        sign({ model: name, streamed: index % 2 === 0, body: `{"n":${index}}`, apiKey: null }),
      ),
    );

    expect(requests.map(({ url, body: text }) => [url.pathname, text])).toEqual(
      models.map((name, index) => [
        `/model/${name}/${index % 2 === 0 ? 'converse-stream' : 'converse'}`,
        `{"n":${index}}`,
      ]),
    );
  });

  it.each([
    ['../x', '/model/..%2Fx/converse'],
    [
      'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/ab12',
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Aapplication-inference-profile%2Fab12/converse',
    ],
    ['größe?a#b', '/model/gr%C3%B6%C3%9Fe%3Fa%23b/converse'],
    ["a (b)!*'", '/model/a%20%28b%29%21%2A%27/converse'],
  ])('names the model %s in the address and leads nowhere else', async (name, path) => {
    asInLambda();
    const sign = signerAt({ baseUrl: 'https://proxy.example.com/bedrock', region: null });

    const { url } = await sign({ model: name, streamed: false, body, apiKey: 'sk-1' });

    expect(url.href).toBe(`https://proxy.example.com/bedrock${path}`);
  });

  it.each([
    ['credentials', { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined }],
    ['region', { AWS_REGION: undefined }],
  ])('says that there is no %s', async (missing, environment) => {
    asInLambda(environment);
    const sign = signerAt({ baseUrl: '', region: null });

    await expect(sign({ model, streamed: false, body, apiKey: null })).rejects.toMatchObject({
      code: 'provider_not_configured',
      param: 'model',
      message: `The provider bedrock has no AWS ${missing} here: its operator gives the function a role, or a Bedrock API key`,
    });
  });

  it('needs no region for an API key where the address is named, and one to find it', async () => {
    asInLambda({ AWS_REGION: undefined });
    const task = { model, streamed: false, body, apiKey: 'sk-1' };

    const { url } = await signerAt({ baseUrl: 'https://proxy.example.com', region: null })(task);

    expect(url.host).toBe('proxy.example.com');
    await expect(signerAt({ baseUrl: '', region: null })(task)).rejects.toMatchObject({
      code: 'provider_not_configured',
    });
  });

  it('goes to the address that the environment names, unless the settings do', async () => {
    asInLambda({ AWS_ENDPOINT_URL_BEDROCK_RUNTIME: 'https://vpce.example.com/bedrock/' });
    const task = { model: 'm', streamed: false, body, apiKey: null };

    const ofEnvironment = await signerAt({ baseUrl: '', region: null })(task);
    const ofSettings = await signerAt({ baseUrl: 'https://proxy.example.com', region: null })(task);

    expect(ofEnvironment.url.href).toBe('https://vpce.example.com/bedrock/model/m/converse');
    expect(ofSettings.url.href).toBe('https://proxy.example.com/model/m/converse');
  });

  it('has the time at which it is done', () => {
    let at = new Date('2026-11-22T23:59:59Z');
    const aws = { ...exampleCaller, now: () => at };
    const sign = createBedrockSigner({ baseUrl: '', region: null, aws });
    const task = { model, streamed: false, body, apiKey: null };
    const before = sign(task);
    at = new Date('2026-11-23T00:05:00Z');
    const after = sign(task);

    expect(before.headers['x-amz-date']).toBe('20261122T235959Z');
    expect(before.headers.authorization).toContain('/20261122/us-east-1/');
    expect(after.headers['x-amz-date']).toBe('20261123T000500Z');
    expect(after.headers.authorization).toContain('/20261123/us-east-1/');
  });

  it('sends nothing of the caller beside the body', async () => {
    asInLambda();
    const call = providerCall(
      { model },
      { callerHeaders: { authorization: 'Bearer pt_live_1', 'x-user-id': 'u' } },
    );
    const { outgoing } = await exchange(prepareBedrock(''), call, { body: { output: {} } });

    expect(Object.keys(outgoing.headers).sort()).toEqual([
      'amz-sdk-invocation-id',
      'amz-sdk-request',
      'authorization',
      'content-type',
      'host',
      'user-agent',
      'x-amz-user-agent',
    ]);
    expect(outgoing.headers.authorization).toBe('Bearer sk-1');
  });

  it('is taken by the API, signature and all', async () => {
    asInLambda();

    expect((await expectAccepted(upstream, { model })).ignored).toEqual([]);
  });
});

describe('the address of a request to Bedrock', () => {
  interface SentBySdk {
    protocol: string;
    hostname: string;
    port?: number;
    path: string;
    headers: Record<string, string>;
  }

  type Where = Pick<BedrockSignerOptions, 'baseUrl' | 'region'>;

  /** Keeps the request from leaving. */
  class Caught extends Error {
    readonly request: SentBySdk;
    constructor(request: SentBySdk) {
      super('caught');
      this.request = request;
    }
  }

  async function sentBySdk({ baseUrl, region }: Where, asked: { model: string; streamed: boolean }) {
    const client = new BedrockRuntimeClient({
      region: region ?? exampleCaller.access.region,
      credentials: exampleCaller.access.credentials,
      ...(baseUrl !== '' && { endpoint: baseUrl }),
      maxAttempts: 1,
      requestHandler: { handle: async (request: SentBySdk) => Promise.reject(new Caught(request)) },
    });
    const input = { modelId: asked.model, messages: [] };
    const sending = asked.streamed
      ? client.send(new ConverseStreamCommand(input))
      : client.send(new ConverseCommand(input));
    const { request } = await sending.then(
      () => Promise.reject(new Error('The SDK had an answer')),
      (error: Caught) => error,
    );
    const { protocol, hostname, port, path, headers } = request;
    return {
      url: new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`),
      headers,
    };
  }

  const wheres: fc.Arbitrary<Where> = fc.record({
    baseUrl: fc.constantFrom('', 'http://127.0.0.1:8080', 'https://proxy.example.com/a%20b/c'),
    region: fc.constantFrom(null, 'eu-central-1', 'us-gov-west-1', 'cn-north-1'),
  });
  const asked = fc.record({
    model: fc.oneof(
      fc.constantFrom('arn:aws:bedrock:us-east-1:1:inference-profile/ab12', '../x', "a(b)'*!", '?q#f', 'é'),
      fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !/^\.+$/.test(name)),
    ),
    streamed: fc.boolean(),
  });

  it('addresses every model as the AWS SDK does, and sends the headers that it sends', async () => {
    await fc.assert(
      fc.asyncProperty(wheres, asked, async (where, { model, streamed }) => {
        const sign = createBedrockSigner({ ...where, aws: exampleCaller });

        const { url, headers } = sign({ model, streamed, body: '{}', apiKey: null });

        const bySdk = await sentBySdk(where, { model, streamed });
        expect(url.href).toBe(bySdk.url.href);
        expect(headers.host).toBe(bySdk.headers.host);
        const names = Object.keys(bySdk.headers).filter((name) => name !== 'content-length');
        expect(Object.keys(headers).sort()).toEqual(names.sort());
      }),
    );
  });
});
