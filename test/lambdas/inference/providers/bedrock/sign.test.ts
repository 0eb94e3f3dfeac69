import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type BedrockSignerOptions,
  createBedrockSigner,
  modelPath,
  type UnsignedRequest,
} from '#lambdas/inference/providers/bedrock/sign.ts';
import { readAwsAccess } from '#lambdas/platform/environment.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
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

/** Sets the environment of a Lambda function and clears AWS variables of this machine. */
function stubLambdaEnvironment(overrides: Record<string, string | undefined> = {}): void {
  const environment: Record<string, string | undefined> = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: role.accessKeyId,
    AWS_SECRET_ACCESS_KEY: role.secretAccessKey,
    AWS_SESSION_TOKEN: 'token',
    AWS_BEARER_TOKEN_BEDROCK: undefined,
    AWS_ENDPOINT_URL: undefined,
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: undefined,
    ...overrides,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
}

function createSigner(endpoint: Pick<BedrockSignerOptions, 'baseUrl' | 'region'>) {
  const aws = { access: readAwsAccess(), now: () => new Date() };
  const sign = createBedrockSigner({ ...endpoint, aws });
  return async (task: UnsignedRequest) => sign(task);
}

describe('createBedrockSigner', () => {
  it("signs with the function's role for its region", async () => {
    stubLambdaEnvironment();
    const sign = createSigner({ baseUrl: '', region: null });

    const { url, headers, ...rest } = await sign({
      path: modelPath(model, 'converse-stream'),
      body,
      apiKey: null,
    });

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

  it('signs for the configured region', async () => {
    stubLambdaEnvironment();
    const sign = createSigner({ baseUrl: '', region: 'us-east-1' });

    const { url, headers } = await sign({ path: modelPath(model, 'converse'), body, apiKey: null });

    expect(url.host).toBe('bedrock-runtime.us-east-1.amazonaws.com');
    expect(headers.authorization).toContain('/us-east-1/bedrock/aws4_request');
  });

  it('produces a valid signature for non-ASCII text', async () => {
    stubLambdaEnvironment();
    const call = providerCall({ model, messages: [{ role: 'user', content: 'Grüße 🙂' }] }, { apiKey: null });
    const { outgoing } = await exchange(prepareBedrock(upstream.baseUrl), call, { body: { output: {} } });

    const response = await fetch(outgoing.url, {
      method: 'POST',
      headers: Object.fromEntries(Object.entries(outgoing.headers).filter(([name]) => name !== 'host')),
      body: outgoing.body,
    });

    expect(response.status).toBe(200);
  });

  it('uses the API key in place of a signature, ignoring AWS_BEARER_TOKEN_BEDROCK', async () => {
    stubLambdaEnvironment({ AWS_BEARER_TOKEN_BEDROCK: 'of-the-environment' });
    const sign = createSigner({ baseUrl: '', region: null });

    const keyed = await sign({ path: modelPath(model, 'converse'), body, apiKey: 'sk-1' });
    const signed = await sign({ path: modelPath(model, 'converse'), body, apiKey: null });
    const rotated = await sign({ path: modelPath(model, 'converse'), body, apiKey: 'sk-2' });

    expect(keyed.headers.authorization).toBe('Bearer sk-1');
    expect(keyed.headers).not.toHaveProperty('x-amz-security-token');
    expect(signed.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 /);
    expect(rotated.headers.authorization).toBe('Bearer sk-2');
  });

  it('does not mix up concurrent requests', async () => {
    stubLambdaEnvironment();
    const sign = createSigner({ baseUrl: '', region: null });
    const models = Array.from({ length: 20 }, (_, index) => `amazon.model-${index}`);

    const requests = await Promise.all(
      models.map((name, index) =>
        sign({
          path: modelPath(name, index % 2 === 0 ? 'converse-stream' : 'converse'),
          body: `{"n":${index}}`,
          apiKey: null,
        }),
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
  ])('encodes the model %s in the URL path', async (name, path) => {
    stubLambdaEnvironment();
    const sign = createSigner({ baseUrl: 'https://proxy.example.com/bedrock', region: null });

    const { url } = await sign({ path: modelPath(name, 'converse'), body, apiKey: 'sk-1' });

    expect(url.href).toBe(`https://proxy.example.com/bedrock${path}`);
  });

  it.each([
    ['credentials', { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined }],
    ['region', { AWS_REGION: undefined }],
  ])('throws provider_not_configured without %s', async (missing, environment) => {
    stubLambdaEnvironment(environment);
    const sign = createSigner({ baseUrl: '', region: null });

    await expect(sign({ path: modelPath(model, 'converse'), body, apiKey: null })).rejects.toMatchObject({
      code: 'provider_not_configured',
      param: 'model',
      message: `The provider bedrock has no AWS ${missing}: the gateway's operator must give the function a role or set a Bedrock API key`,
    });
  });

  it('requires a region for an API key only without a base URL', async () => {
    stubLambdaEnvironment({ AWS_REGION: undefined });
    const task = { path: modelPath(model, 'converse'), body, apiKey: 'sk-1' };

    const { url } = await createSigner({ baseUrl: 'https://proxy.example.com', region: null })(task);

    expect(url.host).toBe('proxy.example.com');
    await expect(createSigner({ baseUrl: '', region: null })(task)).rejects.toMatchObject({
      code: 'provider_not_configured',
    });
  });

  it('prefers the configured base URL over the endpoint of the environment', async () => {
    stubLambdaEnvironment({ AWS_ENDPOINT_URL_BEDROCK_RUNTIME: 'https://vpce.example.com/bedrock/' });
    const task = { path: modelPath('m', 'converse'), body, apiKey: null };

    const fromEnvironment = await createSigner({ baseUrl: '', region: null })(task);
    const fromSettings = await createSigner({ baseUrl: 'https://proxy.example.com', region: null })(task);

    expect(fromEnvironment.url.href).toBe('https://vpce.example.com/bedrock/model/m/converse');
    expect(fromSettings.url.href).toBe('https://proxy.example.com/model/m/converse');
  });

  it('uses the time of signing', () => {
    let at = new Date('2026-11-22T23:59:59Z');
    const aws = { ...exampleClientOptions, now: () => at };
    const sign = createBedrockSigner({ baseUrl: '', region: null, aws });
    const task = { path: modelPath(model, 'converse'), body, apiKey: null };
    const before = sign(task);
    at = new Date('2026-11-23T00:05:00Z');
    const after = sign(task);

    expect(before.headers['x-amz-date']).toBe('20261122T235959Z');
    expect(before.headers.authorization).toContain('/20261122/us-east-1/');
    expect(after.headers['x-amz-date']).toBe('20261123T000500Z');
    expect(after.headers.authorization).toContain('/20261123/us-east-1/');
  });

  it('forwards no caller headers', async () => {
    stubLambdaEnvironment();
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

  it('sends requests that the fake Bedrock accepts', async () => {
    stubLambdaEnvironment();

    expect((await expectAccepted(upstream, { model })).ignored).toEqual([]);
  });
});

describe('createBedrockSigner compared to the AWS SDK', () => {
  interface SdkRequest {
    protocol: string;
    hostname: string;
    port?: number;
    path: string;
    headers: Record<string, string>;
  }

  type Endpoint = Pick<BedrockSignerOptions, 'baseUrl' | 'region'>;

  /** Thrown with the request in place of sending it. */
  class CapturedRequest extends Error {
    readonly request: SdkRequest;
    constructor(request: SdkRequest) {
      super('captured');
      this.request = request;
    }
  }

  async function requestOfSdk({ baseUrl, region }: Endpoint, options: { model: string; streamed: boolean }) {
    const client = new BedrockRuntimeClient({
      region: region ?? exampleClientOptions.access.region,
      credentials: exampleClientOptions.access.credentials,
      ...(baseUrl !== '' && { endpoint: baseUrl }),
      maxAttempts: 1,
      requestHandler: { handle: async (request: SdkRequest) => Promise.reject(new CapturedRequest(request)) },
    });
    const input = { modelId: options.model, messages: [] };
    const sending = options.streamed
      ? client.send(new ConverseStreamCommand(input))
      : client.send(new ConverseCommand(input));
    const { request } = await sending.then(
      () => Promise.reject(new Error('The SDK received a response')),
      (error: CapturedRequest) => error,
    );
    const { protocol, hostname, port, path, headers } = request;
    return {
      url: new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`),
      headers,
    };
  }

  const endpoints: fc.Arbitrary<Endpoint> = fc.record({
    baseUrl: fc.constantFrom('', 'http://127.0.0.1:8080', 'https://proxy.example.com/a%20b/c'),
    region: fc.constantFrom(null, 'eu-central-1', 'us-gov-west-1', 'cn-north-1'),
  });
  const requestOptions = fc.record({
    model: fc.oneof(
      fc.constantFrom('arn:aws:bedrock:us-east-1:1:inference-profile/ab12', '../x', "a(b)'*!", '?q#f', 'é'),
      fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !/^\.+$/.test(name)),
    ),
    streamed: fc.boolean(),
  });

  it('builds the same URL and header names as the AWS SDK for every model', async () => {
    await fc.assert(
      fc.asyncProperty(endpoints, requestOptions, async (endpoint, { model, streamed }) => {
        const sign = createBedrockSigner({ ...endpoint, aws: exampleClientOptions });

        const { url, headers } = sign({
          path: modelPath(model, streamed ? 'converse-stream' : 'converse'),
          body: '{}',
          apiKey: null,
        });

        const sdkRequest = await requestOfSdk(endpoint, { model, streamed });
        expect(url.href).toBe(sdkRequest.url.href);
        expect(headers.host).toBe(sdkRequest.headers.host);
        const names = Object.keys(sdkRequest.headers).filter((name) => name !== 'content-length');
        expect(Object.keys(headers).sort()).toEqual(names.sort());
      }),
    );
  });
});
