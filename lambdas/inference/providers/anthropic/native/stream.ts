/**
 * Forwards the events of a message byte for byte. Deltas, which are most of them, are not parsed.
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */

import { findErrorInBody } from '#lambdas/inference/providers/errors.ts';
import { createSseSplitter } from '#lambdas/inference/providers/http/sse.ts';
import type { ResponseReader } from '#lambdas/inference/providers/provider.ts';
import {
  isCompleteEvent,
  joinEvents,
  readEventPayload,
  unreadableEventError,
  withBlankLine,
} from '#lambdas/inference/providers/translation/event-payload.ts';
import { emptyResponseError } from '#lambdas/inference/providers/translation/response-reader.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { readStatedError } from './errors.ts';
import { createFactsReader, type NativeContext } from './facts.ts';

const noBytes = Buffer.alloc(0);

const messageStop = Buffer.from('event: message_stop\ndata: {"type":"message_stop"}\n\n');

export function createMessageStreamReader(context: NativeContext): Pick<ResponseReader, 'push' | 'end'> {
  const { origin, facts } = context;
  const splitter = createSseSplitter();
  const reader = createFactsReader(context);
  const isOver = () => facts.error !== null || facts.ended;

  /** Returns whether the event is forwarded. */
  const readEvent = (event: Buffer): boolean => {
    if (isOver()) return false;
    if (isDelta(event)) return true;
    const payload = readEventPayload(event, parseJson);
    switch (payload.kind) {
      case 'comment':
      case 'ping':
        return true;
      case 'empty':
      case 'done':
        return false;
      case 'payloads':
        return payload.payloads.every(({ data, text }) => readData(data, text, payload.type));
      case 'unreadable':
        // After the stop reason, nothing of the message can be lost.
        if (facts.finished) return false;
        throw unreadableEventError(origin.provider);
      default:
        return payload satisfies never;
    }
  };
  const readData = (data: JsonObject, text: string, type: string): boolean => {
    if (findErrorInBody(data, { ...origin, eventType: type }) !== null)
      throw readStatedError(data, text, origin);
    if (data.type === 'ping') return true;
    reader.read(data);
    facts.started = true;
    if (data.type !== 'message_stop') return true;
    facts.finished = true;
    facts.ended = true;
    return true;
  };
  /** True for a delta in the form that Anthropic sends; others are parsed. */
  const isDelta = (event: Buffer): boolean => {
    if (!startsWith(event, deltaStart) || !endsWith(event, deltaEnd)) return false;
    facts.started = true;
    if (facts.finished) facts.continued = true;
    return true;
  };
  /** Returns the events before an error too. */
  const forward = (events: readonly Buffer[]): Buffer => {
    const forwarded: Buffer[] = [];
    try {
      for (const event of events) if (readEvent(event)) forwarded.push(event);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      facts.error = error;
    }
    return joinEvents(forwarded);
  };

  return {
    push: (chunk) => forward(splitter.push(chunk)),
    end() {
      const rest = splitter.rest();
      const last = isCompleteEvent(rest) ? forward([withBlankLine(rest)]) : noBytes;
      if (isOver()) return last;
      if (facts.finished) {
        facts.ended = true;
        return Buffer.concat([last, messageStop]);
      }
      if (!facts.started) facts.error = emptyResponseError(origin.provider);
      return last;
    },
  };
}

const deltaStart = Buffer.from('event: content_block_delta\ndata: {"type":"content_block_delta"');
const deltaEnd = Buffer.from('}}\n\n');

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.length >= start.length && start.compare(bytes, 0, start.length) === 0;
}

function endsWith(bytes: Buffer, end: Buffer): boolean {
  return bytes.length >= end.length && end.compare(bytes, bytes.length - end.length) === 0;
}
