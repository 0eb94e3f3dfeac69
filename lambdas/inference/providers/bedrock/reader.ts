/**
 * Translates Converse's responses to OpenAI's format. Handles a non-streaming response by converting it to the events
 * of a stream.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
import type { ChoiceSink, CompletionSink, ToolCallSink } from '#lambdas/inference/completion/sink.ts';
import {
  filterObjects,
  isJsonObject,
  type JsonObject,
  objectOrEmpty,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import { serialize } from '../serialize.ts';
import { thinkingSignature } from '../translation/claude.ts';
import { createUsageFrames, type UsageFrames } from '../usage-frames.ts';
import { usageWarningsOf } from '../usage-warnings.ts';
import { readUsage, statedTotalOf } from './usage.ts';

interface ConverseReader {
  read(type: string, payload: JsonObject): void;
  /** True when both the stop reason and the usage have arrived, in either order. */
  isComplete(): boolean;
}

type OpenBlock =
  | { kind: 'thinking'; signature: string }
  | { kind: 'tool_call'; call: ToolCallSink }
  | { kind: 'json_output'; isEmpty: boolean };

interface Output {
  choice: ChoiceSink;
  /** The tool whose arguments are the completion; `null` when the completion is text. */
  jsonOutputTool: string | null;
  /** Text beside JSON output, which is returned only if there is no JSON, for example when a guardrail intervened. */
  heldText: string;
  hasToolCall: boolean;
  openBlocks: Map<unknown, OpenBlock>;
}

export function createConverseReader({
  sink,
  jsonOutputTool,
}: Pick<Output, 'jsonOutputTool'> & { sink: CompletionSink }): ConverseReader {
  const choice = sink.choice(0);
  const output: Output = {
    choice,
    jsonOutputTool,
    heldText: '',
    hasToolCall: false,
    openBlocks: new Map(),
  };
  const arrived = { finish: false, usage: false };
  const frames = createUsageFrames();

  return {
    read(type, payload) {
      const { contentBlockIndex: index } = payload;
      switch (type) {
        case 'messageStart':
          choice.begin();
          break;
        case 'contentBlockStart':
          startBlock(output, index, objectOrEmpty(payload.start));
          break;
        case 'contentBlockDelta':
          readDelta(output, index, objectOrEmpty(payload.delta));
          break;
        case 'contentBlockStop':
          endBlock(output, index);
          break;
        case 'messageStop':
          if (!output.hasToolCall) choice.text(output.heldText);
          readStopReason(choice, payload);
          arrived.finish = true;
          break;
        case 'metadata':
          frames.add(payload.usage);
          readMetadata(sink, payload, frames);
          arrived.usage = true;
      }
    },
    isComplete: () => arrived.finish && arrived.usage,
  };
}

/** Without a reason, the answer ends with `stop` if it has content. */
function readStopReason(
  choice: ChoiceSink,
  { stopReason, additionalModelResponseFields: fields }: JsonObject,
): void {
  // A model returns it only on request: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
  const { stop_sequence: sequence } = objectOrEmpty(fields);
  if (typeof sequence === 'string') choice.stopSequence(sequence);
  const word = stringOrEmpty(stopReason);
  if (word !== '') choice.finish(word);
}

/** Omits calls of Bedrock's built-in tools (`server_tool_use`). */
function startBlock(output: Output, index: unknown, { toolUse }: JsonObject): void {
  if (!isJsonObject(toolUse)) return;
  const { choice, jsonOutputTool, openBlocks } = output;
  const { toolUseId, name, type } = toolUse;
  if (type === 'server_tool_use') {
    choice.omit();
    return;
  }
  output.hasToolCall = true;
  if (name === jsonOutputTool) {
    choice.omit();
    openBlocks.set(index, { kind: 'json_output', isEmpty: true });
  } else {
    const call = choice.toolCall({ id: stringOrEmpty(toolUseId), name: stringOrEmpty(name) });
    openBlocks.set(index, { kind: 'tool_call', call });
  }
}

/** Omits citations; the cited text is part of the deltas. */
function readDelta(output: Output, index: unknown, { text, toolUse, reasoningContent }: JsonObject): void {
  writeText(output, stringOrEmpty(text));
  if (isJsonObject(reasoningContent)) readThinking(output, index, reasoningContent);
  const block = output.openBlocks.get(index);
  const input = isJsonObject(toolUse) ? stringOrEmpty(toolUse.input) : '';
  if (block?.kind === 'tool_call') block.call.arguments(input);
  if (block?.kind !== 'json_output') return;
  block.isEmpty &&= input === '';
  output.choice.text(input);
}

function writeText(output: Output, text: string): void {
  const { choice, jsonOutputTool } = output;
  if (jsonOutputTool === null) choice.text(text);
  else {
    if (text.trim() !== '') choice.omit();
    output.heldText += text;
  }
}

function readThinking(
  { choice, openBlocks }: Output,
  index: unknown,
  { text, signature, redactedContent }: JsonObject,
): void {
  const data = stringOrEmpty(redactedContent);
  if (data !== '') {
    choice.signature({ format: 'anthropic', kind: 'redacted', data });
    return;
  }
  const known = openBlocks.get(index);
  const block = known?.kind === 'thinking' ? known : { kind: 'thinking' as const, signature: '' };
  block.signature += stringOrEmpty(signature);
  openBlocks.set(index, block);
  choice.reasoning(stringOrEmpty(text));
}

/** JSON output without properties has no arguments. */
function endBlock({ choice, openBlocks }: Output, index: unknown): void {
  const block = openBlocks.get(index);
  openBlocks.delete(index);
  if (block?.kind === 'json_output' && block.isEmpty) choice.text('{}');
  if (block?.kind === 'thinking') choice.signature(thinkingSignature(block.signature));
}

/** A prompt router reports the model that it chose. */
function readMetadata(sink: CompletionSink, { serviceTier, trace }: JsonObject, frames: UsageFrames): void {
  const usage = readUsage(frames.usage);
  const tier = stringOrEmpty(objectOrEmpty(serviceTier).type);
  sink.billing({
    ...(usage !== null && { usage }),
    usageWarnings: usageWarningsOf(frames, statedTotalOf(frames.usage ?? {})),
    ...(tier !== '' && { serviceTier: tier }),
  });
  const { invokedModelId } = objectOrEmpty(objectOrEmpty(trace).promptRouter);
  if (typeof invokedModelId === 'string') sink.identify({ model: invokedModelId });
}

export function toStreamEvents({
  output,
  stopReason,
  additionalModelResponseFields,
  ...metadata
}: JsonObject): [string, JsonObject][] {
  const { content } = objectOrEmpty(objectOrEmpty(output).message);
  const blocks = filterObjects(content);
  return [
    ['messageStart', {}],
    ...blocks.flatMap((block, index) => toBlockEvents(block, index)),
    ['messageStop', { stopReason, additionalModelResponseFields }],
    ['metadata', metadata],
  ];
}

function toBlockEvents(block: JsonObject, contentBlockIndex: number): [string, JsonObject][] {
  const delta = (delta: JsonObject): [string, JsonObject] => [
    'contentBlockDelta',
    { contentBlockIndex, delta },
  ];
  const { text, toolUse } = block;
  const { reasoningText, redactedContent } = objectOrEmpty(block.reasoningContent);
  const { content: cited } = objectOrEmpty(block.citationsContent);
  const events: [string, JsonObject][] = [];
  if (typeof text === 'string') events.push(delta({ text }));
  events.push(...filterObjects(cited).map(delta));
  if (isJsonObject(reasoningText)) events.push(delta({ reasoningContent: reasoningText }));
  if (redactedContent !== undefined) events.push(delta({ reasoningContent: { redactedContent } }));
  if (isJsonObject(toolUse)) {
    events.push(['contentBlockStart', { contentBlockIndex, start: { toolUse } }]);
    events.push(delta({ toolUse: { input: serialize(toolUse.input ?? {}) } }));
  }
  return [...events, ['contentBlockStop', { contentBlockIndex }]];
}
