/** Chooses how a response in OpenAI's format is read: forwarded in its own form, or converted to the other. */
import { GatewayError } from '#lambdas/platform/errors.ts';
import { type JsonObject, parseJsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { createJsonBody } from '../http/json-body.ts';
import { createFormReader } from '../http/response-form.ts';
import { type ProviderCall, type ResponseReader, startReaderFacts } from '../provider.ts';
import { createResponseReader } from '../translation/response-reader.ts';
import { createBillingReader, type ReaderContext, type ResponseOrigin } from './billing.ts';
import { applyJsonEdits } from './json-edits.ts';
import { completionEdits } from './normalize-completion.ts';
import { createChatReader } from './reader.ts';
import { choicesOf, findError } from './response-facts.ts';
import { createOpenAiStreamReader } from './stream.ts';

const noBytes = Buffer.alloc(0);

export function createOpenAiReader(origin: ResponseOrigin, call: ProviderCall): ResponseReader {
  const facts = startReaderFacts();
  const context = { origin, call, facts };
  const { push, end } = createFormReader((form) => {
    if (call.request.stream) {
      return form === 'events' ? createOpenAiStreamReader(context) : createConvertingReader(context);
    }
    return form === 'json' ? createCompletionReader(context) : createConvertingReader(context);
  });
  return { facts, push, end };
}

function createConvertingReader({ origin, call, facts }: ReaderContext): ResponseReader {
  return createResponseReader({
    call,
    facts,
    provider: origin.provider,
    createReadPayload: (writer) => createChatReader(origin, call, writer),
  });
}

/** Forwards a completion at its end. */
function createCompletionReader(context: ReaderContext): ResponseReader {
  const { facts, origin, call } = context;
  const body = createJsonBody();
  let output: Buffer = noBytes;

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
  const isOver = () => facts.ended || facts.error !== null;

  return {
    facts,
    push(chunk) {
      const bytes = isOver() ? null : body.push(chunk);
      const completion = bytes && parseJsonObject(bytes.toString('utf8'));
      if (bytes !== null && completion !== null && isResult(completion)) read(bytes, completion);
      return noBytes;
    },
    end() {
      const bytes = body.take();
      if (!isOver()) {
        const completion = parseJsonObject(bytes.toString('utf8'));
        if (completion === null) return readAsEvents(context, bytes);
        read(bytes, completion);
      }
      const result = output;
      output = noBytes;
      return result;
    },
  };
}

/** A body that is not JSON as a whole may be an error in JSON that is followed by events. */
function readAsEvents(context: ReaderContext, bytes: Buffer): Buffer {
  const reader = createConvertingReader(context);
  reader.push(bytes);
  return reader.end();
}
