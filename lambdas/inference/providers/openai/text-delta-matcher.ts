/**
 * Recognizes chunks that only add text, without parsing them. Most chunks do, and parsing each of them would take longer
 * than all other work of the gateway.
 *
 * A chunk that differs from a valid one only inside its text strings is valid too.
 */
import { isJsonObject, type JsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { stringEnd } from '#lambdas/platform/json/members.ts';
import { hasContent } from './response-facts.ts';

export interface TextDeltaMatcher {
  /** Expects a valid chunk without usage. */
  learn(event: Buffer, chunk: JsonObject): void;
  /** Forgets all learned chunks, for example after a chunk that had to be normalized. */
  forget(): void;
  matches(event: Buffer): boolean;
}

/** The parts of an event around its text strings. */
type Frame = readonly string[];

/**
 * The beginnings of the text strings; OpenAI pads its chunks with `obfuscation`. They cannot occur inside a string, where
 * quotes are escaped.
 */
const textStart = /"(?:content|reasoning_content|refusal|arguments|obfuscation)"\s*:\s*"/g;

/** More frames mean that another field changes in every chunk, so that no frame would match again. */
const maxFrames = 8;

export function createTextDeltaMatcher(): TextDeltaMatcher {
  let frames: Frame[] = [];
  return {
    learn(event, chunk) {
      if (frames.length === maxFrames || !Array.isArray(chunk.choices)) return;
      if (chunk.choices.every(addsTextOnly)) frames.push(frameOf(event.toString('latin1')));
    },
    forget() {
      frames = [];
    },
    matches(event) {
      if (frames.length === 0) return false;
      const text = event.toString('latin1');
      return frames.some((frame) => matchesFrame(text, frame));
    },
  };
}

/**
 * False for a role, the start of a tool call and a finish reason, which are valid only once, for Groq's `executed_tools`,
 * which are counted, and for empty texts: it must be known whether a choice has content, and a call has arguments.
 */
function addsTextOnly(choice: unknown): boolean {
  if (!isJsonObject(choice) || !isJsonObject(choice.delta)) return false;
  const { role, reasoning, tool_calls: toolCalls, executed_tools: executed } = choice.delta;
  if (role !== undefined || executed !== undefined) return false;
  if (typeof reasoning === 'string' || choice.finish_reason !== null) return false;
  if (!hasContent(choice.delta)) return false;
  return !Array.isArray(toolCalls) || toolCalls.every(addsArgumentsOnly);
}

function addsArgumentsOnly(toolCall: unknown): boolean {
  if (!isJsonObject(toolCall) || !isJsonObject(toolCall.function)) return false;
  const { name, arguments: text } = toolCall.function;
  return toolCall.id === undefined && name === undefined && stringOrEmpty(text).trim() !== '';
}

function frameOf(text: string): Frame {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: opening, index } of text.matchAll(textStart)) {
    const start = index + opening.length;
    parts.push(text.slice(from, start));
    from = stringEnd(text, start - 1) - 1;
  }
  return [...parts, text.slice(from)];
}

function matchesFrame(text: string, frame: Frame): boolean {
  let end = 0;
  for (const part of frame) {
    const at = end === 0 ? 0 : stringEnd(text, end - 1) - 1;
    if (!text.startsWith(part, at)) return false;
    // A line break in a string is invalid JSON and starts a new line of the event.
    const added = text.slice(end, at);
    if (added.includes('\n') || added.includes('\r')) return false;
    end = at + part.length;
  }
  return end === text.length;
}
