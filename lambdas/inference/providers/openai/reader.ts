/**
 * Reads OpenAI's chat format into the sink: a completion for a caller who asked for a stream, and a stream for one who did
 * not. The format that was asked for is forwarded instead.
 */
import type { ReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { ChoiceSink, CompletionSink, ToolCallSink } from '#lambdas/inference/completion/sink.ts';
import {
  filterObjects,
  isJsonObject,
  type JsonObject,
  numberOr,
  objectOrEmpty,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import { redact } from '../redact.ts';
import type { ReadPayload } from '../translation/response-reader.ts';
import { createBillingReader, type ResponseOrigin } from './billing.ts';
import { hasKnownTier } from './normalize-completion.ts';
import { reasoningOf, textOf } from './normalize-message.ts';
import { callPayload, reasoningPayload } from './required-fields.ts';
import { choiceIndex, choicesOf, findError, finishWordOf, hasContent } from './response-facts.ts';
import { argumentsOf, createToolCallTracker, otherMembersOf } from './tool-call-tracker.ts';

interface ChatReading {
  origin: ResponseOrigin;
  sink: CompletionSink;
  facts: ReaderFacts;
  /** Redacted where a provider returns it. */
  credential: string | null;
  /** The names of the functions that the request offers. */
  offeredNames: readonly string[];
}

export function createChatReader(reading: ChatReading): ReadPayload {
  const { origin, sink, facts, credential } = reading;
  const billing = createBillingReader(origin, origin.model);
  const choices = new Map<number, ReadChoice>();
  return (response, type) => {
    billing.read(response);
    sink.billing(billing.facts());
    facts.unitCounts = billing.unitCounts();
    const { id, model, created } = response;
    sink.identify({ id: stringOrEmpty(id), model: stringOrEmpty(model), created: numberOr(created, 0) });
    const error = findError(response, origin, type);
    if (error !== null) return sink.fail(error);
    sink.fields(otherFields(response, credential));
    for (const [position, choice] of choicesOf(response).entries()) {
      if (!isJsonObject(choice)) continue;
      const index = choiceIndex(choice, position);
      const read = choices.get(index) ?? createReadChoice(sink.choice(index), reading);
      choices.set(index, read);
      read(choice);
    }
  };
}

const sinkFields = ['id', 'object', 'created', 'model', 'choices', 'usage', 'error'];

/** The fields that providers add to a completion or to its chunks. */
function otherFields(response: JsonObject, credential: string | null): JsonObject {
  const fields = Object.entries(response).filter(([name]) => !sinkFields.includes(name));
  const tier = hasKnownTier(response) ? {} : { service_tier: null };
  const redacted = fields.map(([name, value]) => [
    name,
    typeof value === 'string' ? redact(value, credential) : value,
  ]);
  return { ...Object.fromEntries(redacted), ...tier };
}

type ReadChoice = (choice: JsonObject) => void;

function createReadChoice(sink: ChoiceSink, { offeredNames }: ChatReading): ReadChoice {
  const tracker = createToolCallTracker(offeredNames);
  const toolCalls: ToolCallSink[] = [];
  let hasOutput = false;
  /** The fields beside reasoning. */
  let reasoningDeltas: JsonObject[] = [];
  const endReasoning = () => {
    if (reasoningDeltas.length === 0) return;
    const payload = reasoningPayload(reasoningDeltas);
    reasoningDeltas = [];
    if (payload !== null) sink.signature(payload);
  };

  const readToolCall = (delta: JsonObject, isSeparate: boolean) => {
    const others = otherMembersOf(delta);
    const { custom, ...withoutCustom } = others;
    const isCustom = isJsonObject(custom);
    const { index, isNew, name, mayContinueName, isRepetition } = tracker.track(delta, isSeparate);
    if (isNew) {
      const id = stringOrEmpty(delta.id);
      const extra = isCustom ? withoutCustom : others;
      const payload = callPayload(extra);
      toolCalls.push(sink.toolCall({ id, name, mayContinueName, isCustom, payload, extra }));
    } else toolCalls[index]?.name(name);
    if (isRepetition) return;
    toolCalls[index]?.arguments(isCustom ? stringOrEmpty(custom.input) : argumentsOf(delta));
  };
  return (choice) => {
    const isMessage = isJsonObject(choice.message);
    const message = objectOrEmpty(isMessage ? choice.message : choice.delta);
    if (isJsonObject(choice.delta)) sink.begin();
    const extra = otherMembers(message);
    const [text, refusal] = [textOf(message), stringOrEmpty(message.refusal)];
    sink.reasoning(reasoningOf(message));
    const hasExtra = hasContent(extra);
    if (hasExtra) reasoningDeltas.push(extra);
    if (text !== '' || refusal !== '' || hasContent({ calls: message.tool_calls })) endReasoning();
    sink.text(text);
    sink.refusal(refusal);
    if (isJsonObject(message.audio)) sink.audio(message.audio);
    if (hasExtra) sink.extra(extra);
    for (const [position, toolCall] of filterObjects(message.tool_calls).entries()) {
      readToolCall(toolCall, isMessage && position > 0);
    }
    if (isJsonObject(choice.logprobs)) sink.logprobs(choice.logprobs);
    hasOutput ||= hasContent(message);
    // vLLM's: https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
    if (typeof choice.stop_reason === 'string') sink.stopSequence(choice.stop_reason);
    const word = finishWordOf(choice, { hasOutput });
    if (word === '') return;
    endReasoning();
    sink.finish(word);
  };
}

const readMembers = ['role', 'content', 'reasoning_content', 'reasoning', 'refusal', 'audio', 'tool_calls'];

/** Empty ones are left out, as in a delta without them. */
function otherMembers(message: JsonObject): JsonObject {
  const others = Object.entries(message).filter(
    ([name, value]) => !readMembers.includes(name) && hasContent({ [name]: value }),
  );
  return Object.fromEntries(others);
}
