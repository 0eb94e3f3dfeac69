/**
 * Bedrock's Converse and ConverseStream on loopback, which refuse what the real ones refuse.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
import type { ConverseRequest } from '@aws-sdk/client-bedrock-runtime';
import { isJsonObject, objectOf, parseJson } from '#lambdas/platform/json/json.ts';
import { replay } from '../replay.ts';
import { type ProviderBehaviour, simulateCompletion } from '../simulated-model.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { jsonResponse, type RecordedRequest, type Respond, streamResponse } from '../upstream-responses.ts';
import { bedrockFrame, bedrockStreamType } from './bedrock-event-stream.ts';
import { type ExpectedCaller, isCaller } from './caller-check.ts';
import { refusalOf } from './converse-rules.ts';
import { shapeProblem } from './converse-shape.ts';

export type BedrockBehaviour = ProviderBehaviour & ExpectedCaller;
export type BedrockUpstream = Upstream<BedrockBehaviour>;

export function startBedrockUpstream(behaviour: BedrockBehaviour = {}): Promise<BedrockUpstream> {
  return startUpstream({ path: '', respond: bedrockAnswer }, behaviour);
}

function bedrockAnswer(request: RecordedRequest, behaviour: BedrockBehaviour): Respond {
  const headers = { 'x-amzn-requestid': request.requestId };
  /** The kind is in a header, the message in the body. */
  const refuse = (status: number, kind: string, message: string) =>
    jsonResponse(
      { message },
      { status, headers: { ...headers, 'x-amzn-errortype': `${kind}:http://internal.amazon.com/coral/` } },
    );
  const [, name = '', operation] = /^\/model\/([^/]+)\/(converse|converse-stream)$/.exec(request.url) ?? [];
  if (request.method !== 'POST' || operation === undefined) {
    return refuse(404, 'UnknownOperationException', 'The requested operation is not known.');
  }
  if (!isCaller(request, behaviour)) {
    return refuse(
      403,
      'AccessDeniedException',
      'Authentication failed: the key or the signature is not valid.',
    );
  }
  const model = decodeURIComponent(name);
  const body = parseJson(request.body.toString());
  const problem = isJsonObject(body) ? shapeProblem(body, model) : 'The request body is not a JSON object.';
  if (problem !== null) return refuse(400, 'SerializationException', problem);
  // Its shape was checked just now.
  const asked = body as unknown as ConverseRequest;
  const isModel = /^(\w+\.)?(anthropic|amazon|meta|openai|mistral)\./.test(model);
  const refusal = isModel ? refusalOf(asked, model) : 'The provided model identifier is invalid.';
  if (refusal !== null) return refuse(400, 'ValidationException', refusal);
  const streamed = operation === 'converse-stream';
  if (behaviour.fixture !== undefined) return replay(behaviour.fixture, streamed, bedrockFrame);
  return converseAnswer(asked, { streamed, behaviour, headers });
}

function converseAnswer(
  request: ConverseRequest,
  {
    streamed,
    behaviour,
    headers,
  }: { streamed: boolean; behaviour: ProviderBehaviour; headers: Record<string, string> },
): Respond {
  const said = simulateCompletion(promptOf(request), behaviour);
  const usage = { inputTokens: 12, outputTokens: 8, totalTokens: 20 };
  const stopReason = said.kind === 'tool' ? 'tool_use' : 'end_turn';
  const toolUse = said.kind === 'tool' && { name: said.name, toolUseId: 'tooluse_Q1w2E3r4T5y6U7i8O9p0Aa' };
  if (!streamed) {
    const block =
      said.kind === 'tool' ? { toolUse: { ...toolUse, input: said.input } } : { text: said.pieces.join('') };
    return jsonResponse(
      { output: { message: { content: [block], role: 'assistant' } }, stopReason, usage },
      { headers },
    );
  }
  const json = said.kind === 'tool' ? JSON.stringify(said.input) : '';
  const deltas =
    said.kind === 'tool'
      ? [json.slice(0, 4), json.slice(4)].map((input) => ({ toolUse: { input } }))
      : said.pieces.map((text) => ({ text }));
  const events = [
    { messageStart: { role: 'assistant' } },
    // Only a block of a tool call has an event that begins it.
    ...(toolUse === false ? [] : [{ contentBlockStart: { contentBlockIndex: 0, start: { toolUse } } }]),
    ...deltas.map((delta) => ({ contentBlockDelta: { contentBlockIndex: 0, delta } })),
    { contentBlockStop: { contentBlockIndex: 0 } },
    { messageStop: { stopReason } },
    { metadata: { metrics: { latencyMs: 412 }, usage } },
  ];
  return streamResponse(events.map(bedrockFrame), {
    headers: { 'content-type': bedrockStreamType, ...headers },
  });
}

function promptOf({
  messages = [],
  toolConfig,
  outputConfig,
  additionalModelRequestFields,
}: ConverseRequest) {
  const last = messages.at(-1)?.content ?? [];
  const choice = toolConfig?.toolChoice;
  /** Claude's own choice, among the model's own fields. */
  const own = objectOf(objectOf(additionalModelRequestFields).tool_choice);
  const isForced = choice?.any !== undefined || choice?.tool !== undefined;
  const mayCall =
    own.type !== 'none' && (isForced || last.every(({ toolResult }) => toolResult === undefined));
  const tools = (toolConfig?.tools ?? []).flatMap(({ toolSpec }) => toolSpec ?? []);
  const name = choice?.tool?.name ?? own.name;
  const tool = name === undefined ? tools[0] : tools.find((it) => it.name === name);
  const schema = outputConfig?.textFormat?.structure?.jsonSchema?.schema;
  return {
    tool:
      mayCall && tool?.name !== undefined ? { name: tool.name, schema: tool.inputSchema?.json } : undefined,
    schema: schema === undefined ? undefined : parseJson(schema),
    lastUserText: last.map(({ text = '' }) => text).join(''),
  };
}
