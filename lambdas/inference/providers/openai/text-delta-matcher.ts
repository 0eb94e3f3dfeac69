/**
 * Recognizes chunks that only add text without parsing them. Most chunks do, and parsing each would cost more than
 * everything else that the gateway does.
 *
 * A chunk that differs from a valid one only inside the strings that hold the text is valid too.
 */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { stringEnd } from '#lambdas/platform/json/members.ts';

export interface TextDeltaMatcher {
  /** Learns from the event of a chunk that was valid and had no usage. */
  learn(event: Buffer, chunk: JsonObject): void;
  /** Forgets everything, since chunks that were valid before may no longer be. */
  forget(): void;
  matches(event: Buffer): boolean;
}

/** The parts of an event around the strings that change. */
type Frame = readonly string[];

/** OpenAI pads its chunks with `obfuscation`. Quotes inside a string are escaped, so no text can look like these. */
const changing = /"(?:content|reasoning_content|refusal|arguments|obfuscation)"\s*:\s*"/g;

/** More frames mean that something else changes in each chunk, so that there is nothing to learn. */
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
      return frames.some((frame) => fits(text, frame));
    },
  };
}

/** A role, the beginning of a tool call and a finish reason are valid only once. */
function addsTextOnly(choice: unknown): boolean {
  if (!isJsonObject(choice) || !isJsonObject(choice.delta)) return false;
  const { role, reasoning, tool_calls: pieces } = choice.delta;
  if (role !== undefined || typeof reasoning === 'string' || choice.finish_reason !== null) return false;
  return !Array.isArray(pieces) || pieces.every(isMoreArguments);
}

function isMoreArguments(piece: unknown): boolean {
  if (!isJsonObject(piece) || !isJsonObject(piece.function)) return false;
  return piece.id === undefined && piece.function.name === undefined;
}

function frameOf(text: string): Frame {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: opening, index } of text.matchAll(changing)) {
    const start = index + opening.length;
    parts.push(text.slice(from, start));
    from = stringEnd(text, start - 1) - 1;
  }
  return [...parts, text.slice(from)];
}

function fits(text: string, frame: Frame): boolean {
  let end = 0;
  for (const part of frame) {
    const at = end === 0 ? 0 : stringEnd(text, end - 1) - 1;
    // A line feed in a string is invalid JSON and begins another line of the event.
    if (!text.startsWith(part, at) || text.slice(end, at).includes('\n')) return false;
    end = at + part.length;
  }
  return end === text.length;
}
