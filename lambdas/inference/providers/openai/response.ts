/** Chooses how a response in OpenAI's format is read: forwarded in its own form, or converted to the other. */
import type { ChatCall } from '#lambdas/inference/chat/body.ts';
import { startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { type JsonObject, parseJsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { lazy } from '#lambdas/platform/lazy.ts';
import { createJsonBody } from '../http/json-body.ts';
import { createFormReader, type ResponseForm } from '../http/response-form.ts';
import type { CreateWriter, ResponseReader } from '../provider.ts';
import { createResponseReader, emptyResponseError } from '../translation/response-reader.ts';
import { createBillingReader, type ReaderContext, type ResponseOrigin } from './billing.ts';
import { applyJsonEdits } from './json-edits.ts';
import { completionEdits } from './normalize-completion.ts';
import { createChatReader } from './reader.ts';
import { choicesOf, findError } from './response-facts.ts';
import { createOpenAiStreamReader } from './stream.ts';
import { offeredToolNames } from './tool-call-tracker.ts';

const noBytes = Buffer.alloc(0);

/** Reads the response to a caller who uses OpenAI's format too. `loadWriter` is called for one that must be converted. */
export function createOpenAiReader(
  origin: ResponseOrigin,
  call: ChatCall,
  loadWriter: () => Promise<CreateWriter>,
): ResponseReader {
  const facts = startReaderFacts();
  const context = { origin, call, facts, loadWriter };
  let reader: ResponseReader | null = null;
  const { push, end } = createFormReader((form) => {
    reader = select(form);
    return reader;
  });
  const select = (form: ResponseForm | null): ResponseReader => {
    if (form === null) return createEmptyReader(context);
    if (call.request.stream) {
      return form === 'events' ? createOpenAiStreamReader(context) : createConvertingReader(context);
    }
    return form === 'json' ? createCompletionReader(context) : createConvertingReader(context);
  };
  return { facts, push, end, load: (isEnd) => reader?.load?.(isEnd) };
}

function createEmptyReader({ facts, origin }: ReaderContext): ResponseReader {
  return {
    facts,
    push: () => noBytes,
    end() {
      facts.error ??= emptyResponseError(origin.provider);
      return noBytes;
    },
  };
}

interface ConversionContext extends ReaderContext {
  loadWriter: () => Promise<CreateWriter>;
}

/** Keeps the bytes until the writer is loaded. */
function createConvertingReader({ origin, call, facts, loadWriter }: ConversionContext): ResponseReader {
  const offeredNames = offeredToolNames(call.request.body);
  let reader: ResponseReader | null = null;
  let kept: Buffer[] = [];
  const start = (createWriter: CreateWriter) => {
    reader = createResponseReader({
      call,
      createWriter,
      facts,
      provider: origin.provider,
      createReadPayload: (writer) =>
        createChatReader({
          origin,
          sink: writer,
          facts,
          credential: call.apiKey,
          offeredNames,
        }),
    });
  };
  const load = lazy(() => loadWriter().then(start));
  const takeKept = (): Buffer[] => {
    const bytes = kept;
    kept = [];
    return bytes;
  };
  return {
    facts,
    load: () => (reader === null ? load() : undefined),
    push(chunk) {
      if (reader !== null)
        return reader.push(kept.length === 0 ? chunk : Buffer.concat([...takeKept(), chunk]));
      kept.push(chunk);
      return noBytes;
    },
    end() {
      if (reader === null) throw new Error('The writer must be loaded before the end');
      const rest = kept.length === 0 ? noBytes : reader.push(Buffer.concat(takeKept()));
      return Buffer.concat([rest, reader.end()]);
    },
  };
}

/** Forwards a completion at its end. */
function createCompletionReader(context: ConversionContext): ResponseReader {
  const { facts, origin, call } = context;
  const body = createJsonBody();
  let output: Buffer = noBytes;
  let events: ResponseReader | null = null;

  const read = (bytes: Buffer, completion: JsonObject) => {
    const billing = createBillingReader(origin, origin.model);
    billing.read(completion);
    Object.assign(facts, billing.facts());
    facts.responseModel = stringOrEmpty(completion.model) || null;
    facts.error = findError(completion, origin);
    if (facts.error !== null) return;
    try {
      output = normalize(bytes, completion);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      facts.error = error;
    }
  };
  const normalize = (bytes: Buffer, completion: JsonObject): Buffer => {
    const edits = completionEdits(completion, { call, facts, provider: origin.provider });
    if (facts.error !== null) return noBytes;
    const normalized =
      edits.length === 0 ? bytes : Buffer.from(applyJsonEdits(bytes.toString('utf8'), edits));
    facts.started = true;
    facts.finished = true;
    facts.ended = true;
    return normalized;
  };
  /** A body with neither choices nor an error may be followed by events. */
  const isResult = (completion: JsonObject) =>
    choicesOf(completion).length > 0 || findError(completion, origin) !== null;
  const readBody = (): Buffer => {
    const { value, rest } = body.take();
    const completion = parseJsonObject(value.toString('utf8'));
    if (completion !== null && isResult(completion)) {
      read(value, completion);
      return noBytes;
    }
    events = createConvertingReader(context);
    return events.push(Buffer.concat([value, rest]));
  };
  const isOver = () => facts.ended || facts.error !== null;

  return {
    facts,
    load(isEnd) {
      if (isEnd && events === null && !isOver()) readBody();
      return events?.load?.(isEnd);
    },
    push(chunk) {
      if (events !== null) return events.push(chunk);
      return !isOver() && body.push(chunk) ? readBody() : noBytes;
    },
    end() {
      const start = events === null && !isOver() ? readBody() : noBytes;
      if (events !== null) return Buffer.concat([start, events.end()]);
      const result = output;
      output = noBytes;
      return result;
    },
  };
}
