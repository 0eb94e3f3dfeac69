/** Where requests go is compared with where the AWS SDK sends them. */
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { expect, it } from 'vitest';
import { type BedrockSignerOptions, createBedrockSigner } from '#lambdas/inference/providers/bedrock/sign.ts';
import { exampleCaller } from '#test/support/aws-caller.ts';
import { fc } from '#test/support/fast-check.ts';

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
  return { url: new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`), headers };
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
