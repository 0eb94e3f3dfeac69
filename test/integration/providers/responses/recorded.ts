/** The Responses API with recorded requests of agents and of OpenAI's Python SDK. */
import { expect, it } from 'vitest';
import pythonSdk from '#test/fixtures/sdks/openai-python-responses.json' with { type: 'json' };
import { agentRequests } from '#test/support/agent-requests.ts';
import { azureResponses, openAiResponses } from '#test/support/providers/openai/responses/endpoint.ts';
import { responseBody } from '#test/support/providers/openai/responses/response-events.ts';
import type { ResponseTurn } from '#test/support/providers/openai/responses/turns.ts';
import type { RecordedRequest } from '#test/support/providers/upstream-responses.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';
import type { RunningResponses } from './running.ts';

const forwardedHeaders = ['accept', 'openai-beta', 'user-agent'];
const ownHeaders = [
  'accept-encoding',
  'api-key',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
];

const apis: Record<string, typeof openAiResponses> = { openai: openAiResponses, azure: azureResponses };
const withoutProvider = (model: string) => model.slice(model.indexOf('/') + 1);

interface Sent {
  url: string;
  headers: Record<string, string>;
  model: string;
  body: object;
}

export function describeRecorded({ gateway, upstreamOf }: RunningResponses): void {
  /** Sends the request with white space that no serializer writes, and compares it with what the provider received. */
  async function forward({ url, headers, model, body: fields }: Sent) {
    const { chatUrl, apiKey } = gateway();
    const body = JSON.stringify({ ...fields, model }, null, 1).replace('{', '{ \t');
    const response = await fetch(`${chatUrl}${url}`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${apiKey}` },
      body,
    });
    const text = await response.text();
    const request = upstreamOf(model).requests.at(-1);
    if (request === undefined) throw new Error('The request was not forwarded');

    expect(request.body.toString()).toBe(
      body.replace(JSON.stringify(model), JSON.stringify(withoutProvider(model))),
    );
    expectHeaders(request, headers);
    expect(JSON.stringify(request.headers)).not.toContain(apiKey);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-gateway-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    return { response, text, request };
  }

  const agents = agentRequests('responses').flatMap((recorded) => {
    const model = String(recorded.body.model);
    return [
      { model, stream: true },
      { model, stream: false },
      { model: `azure/${withoutProvider(model)}`, stream: true },
    ].map((variant) => ({ ...recorded, ...variant, body: { ...recorded.body, stream: variant.stream } }));
  });

  it.each(agents)('of $client are forwarded byte for byte: $name, $model, stream $stream', async (sent) => {
    const turn: ResponseTurn = {
      items: [
        { type: 'reasoning', summary: 'A greeting: Grüße 🙂' },
        { type: 'message', text: 'I will change\nthe “greeting”.', phase: 'commentary' },
        { type: 'function_call', call_id: 'call_9', name: 'shell', arguments: '{"cmd":"ls"}' },
      ],
      usage: { input: 20_414, output: 41, cached: 20_411, reasoning: 7 },
    };
    const { behaviour } = upstreamOf(sent.model);
    behaviour.nextResponse = () => turn;

    const { response, text, request } = await forward(sent);

    const { requestId } = request;
    const { snapshotOf, extraFields } = apis[sent.model.split('/', 1).join()] ?? openAiResponses;
    const model = snapshotOf(withoutProvider(sent.model));
    const expected = responseBody(turn, JSON.parse(request.body.toString()), {
      requestId,
      model,
      extraFields,
    });
    expect([expected].flat().join('')).toBe(text);
    expect(response.headers.get('x-request-id')).toBe(requestId);
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('3999');
    expect(response.headers.get('openai-organization')).toBeNull();
    delete behaviour.nextResponse;
  });

  const ofSdk = pythonSdk.requests.map(({ name, body }) => ({ name, model: body.model, body }));

  it.each(ofSdk)(`of ${pythonSdk.client} are forwarded byte for byte: $name`, async ({ model, body }) => {
    const whole =
      '{"id": "resp_1",\n  "object": "response", "status": "completed", "output": [], "an_unknown_field": 1.50}';
    const events = [
      ': a comment\n\n',
      'event: response.created\ndata: {"type":"response.created", "sequence_number":0}\n\n',
      'event: response.of_the_future\r\ndata: {"type":"response.of_the_future"}\r\n\r\n',
      'data: {"type":"response.completed","response":{"id":"resp_1","object":"response","status":"completed","output":[]}}\n\n',
    ];
    upstreamOf(model).script('stream' in body && body.stream ? streamResponse(events) : jsonResponse(whole));

    const { text } = await forward({ url: '/ai/v1/responses', headers: {}, model, body });

    expect(text).toBe('stream' in body && body.stream ? events.join('') : whole);
  });
}

function expectHeaders({ headers }: RecordedRequest, callers: Record<string, string>): void {
  const forwarded = Object.entries(callers).filter(([name]) => forwardedHeaders.includes(name.toLowerCase()));
  for (const [name, value] of forwarded) expect([name, headers[name.toLowerCase()]]).toEqual([name, value]);
  const allowed = [...ownHeaders, ...forwardedHeaders];
  expect(Object.keys(headers).filter((name) => !allowed.includes(name))).toEqual([]);
}
