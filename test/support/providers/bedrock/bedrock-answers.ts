/** What the model behind the Bedrock fake says: text, JSON by a schema, or one call of a tool. */
import { isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { answerPieces, exampleOf, type ProviderBehaviour } from '../provider-behaviour.ts';
import type { BedrockModel } from './bedrock-models.ts';
import type { ConverseRequest } from './bedrock-request.ts';

export interface Question {
  request: ConverseRequest;
  model: BedrockModel;
  behaviour: ProviderBehaviour;
}

type SmallAnswer =
  | { kind: 'text'; pieces: readonly string[] }
  | { kind: 'tool'; name: string; input: unknown };

export function converseAnswer(question: Question): object {
  const answer = smallAnswer(question);
  const content =
    answer.kind === 'text'
      ? [{ text: answer.pieces.join('') }]
      : [{ toolUse: { input: answer.input, ...toolUseOf(answer.name, question.model) } }];
  return {
    metrics: { latencyMs: 412 },
    output: { message: { content, role: 'assistant' } },
    stopReason: stopReasonOf(answer),
    usage: { cacheReadInputTokenCount: 0, cacheReadInputTokens: 0, ...usage },
  };
}

export function converseEvents(question: Question): object[] {
  const answer = smallAnswer(question);
  return [
    { messageStart: { role: 'assistant' } },
    ...blockEvents(answer, question.model),
    { contentBlockStop: { contentBlockIndex: 0 } },
    { messageStop: { stopReason: stopReasonOf(answer) } },
    { metadata: { metrics: { latencyMs: 412 }, usage } },
  ];
}

const usage = { inputTokens: 12, outputTokens: 8, serverToolUsage: {}, totalTokens: 20 };

/** Only a block of a tool call has an event that begins it. */
function blockEvents(answer: SmallAnswer, model: BedrockModel): object[] {
  const delta = (piece: object) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: piece } });
  if (answer.kind === 'text') return answer.pieces.map((text) => delta({ text }));
  const json = JSON.stringify(answer.input);
  const middle = json.indexOf(':') + 1;
  const pieces = [json.slice(0, middle), json.slice(middle)];
  return [
    { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: toolUseOf(answer.name, model) } } },
    ...pieces.map((input) => delta({ toolUse: { input } })),
  ];
}

function toolUseOf(name: string, { vendor }: BedrockModel) {
  const type = vendor === 'anthropic' ? { type: 'tool_use' } : {};
  return { name, toolUseId: 'tooluse_Q1w2E3r4T5y6U7i8O9p0Aa', ...type };
}

function stopReasonOf({ kind }: SmallAnswer): string {
  return kind === 'tool' ? 'tool_use' : 'end_turn';
}

function smallAnswer({ request, behaviour }: Question): SmallAnswer {
  const schema = request.outputConfig?.textFormat?.structure.jsonSchema.schema;
  const last = request.messages?.at(-1);
  const tool = chosenTool(request);
  const hasResult = last?.content.some(({ toolResult }) => toolResult !== undefined) ?? false;
  if (tool !== undefined && (!hasResult || isForced(request))) {
    return { kind: 'tool', name: tool.name, input: exampleInput(tool.inputSchema.json) };
  }
  if (schema !== undefined) {
    const json = JSON.stringify(exampleOf(parseJson(schema) ?? {}));
    return { kind: 'text', pieces: [json.slice(0, 2), json.slice(2)] };
  }
  const said = last?.content.flatMap(({ text }) => text ?? []).join('') ?? '';
  return { kind: 'text', pieces: answerPieces(behaviour, said) };
}

function isForced({ toolConfig }: ConverseRequest): boolean {
  return toolConfig?.toolChoice?.any !== undefined || toolConfig?.toolChoice?.tool !== undefined;
}

/** The tool that the choice names, or the first; none where Claude's own `none` forbids it. */
function chosenTool({ toolConfig, additionalModelRequestFields = {} }: ConverseRequest) {
  const { tool_choice: ownChoice } = additionalModelRequestFields;
  if (isJsonObject(ownChoice) && ownChoice.type === 'none') return undefined;
  const tools = toolConfig?.tools.flatMap(({ toolSpec }) => toolSpec ?? []) ?? [];
  const name = toolConfig?.toolChoice?.tool?.name ?? (isJsonObject(ownChoice) ? ownChoice.name : undefined);
  return name === undefined ? tools[0] : tools.find((tool) => tool.name === name);
}

/** `{"city":"Oslo"}`, unless the schema asks for something else. */
function exampleInput(schema: JsonObject): unknown {
  const names = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
  return names.every((name) => name === 'city') ? { city: 'Oslo' } : exampleOf(schema);
}
