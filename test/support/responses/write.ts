/** Writes what a provider has generated as a response for a caller of the Responses API, as a stream and as a whole. */
import { type ReaderFacts, startReaderFacts } from '#lambdas/inference/completion/facts.ts';
import type { CompletionWriter } from '#lambdas/inference/completion/sink.ts';
import { customToolNames } from '#lambdas/inference/responses/request/tools.ts';
import {
  createResponsesWriter,
  type RenderFailure,
  type RequestedResponse,
} from '#lambdas/inference/responses/response/writer.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import {
  filterObjects,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
} from '#lambdas/platform/json/json.ts';
import type { WriteScript } from '../messages/write.ts';
import { providerCall } from '../providers/provider-call.ts';

interface WriteOptions extends Partial<Pick<RequestedResponse, 'stream'>> {
  provider?: string;
  apiKey?: string;
  requestId?: string;
  /** The fields of the request. */
  fields?: JsonObject;
}

interface StartedWriter extends CompletionWriter {
  /** Renders an error within the stream. */
  failure(error: GatewayError): string;
}

export function startResponsesWriter({
  stream = true,
  fields = {},
  ...overrides
}: WriteOptions = {}): StartedWriter {
  const body = { model: 'a-model', input: 'Hi', ...fields };
  let render: RenderFailure | null = null;
  const create = createResponsesWriter({
    stream,
    body,
    customTools: customToolNames(body),
    estimateInputTokens: () => 40,
    onRenderer(renderer) {
      render = renderer;
    },
  });
  const writer = create(providerCall({}, overrides), startReaderFacts());
  return {
    ...writer,
    failure: (error) => render?.({ error, original: null, requestId: null }).toString() ?? '',
  };
}

interface Written {
  text: string;
  facts: ReaderFacts;
  /** Empty if there is none. */
  response: JsonObject;
  output: JsonObject[];
}

interface WrittenStream extends Written {
  /** Without comments. */
  events: JsonObject[];
}

/** The script is the whole response, so that it ends if it is finished. The response is that of the last event. */
export function writeStream(script: WriteScript, options: WriteOptions = {}): WrittenStream {
  const { text, facts } = written(script, { ...options, stream: true });
  const events = eventsOf(text);
  const response = objectOrEmpty(events.at(-1)?.response);
  return { text, facts, events, response, output: filterObjects(response.output) };
}

export function writeWhole(script: WriteScript, options: WriteOptions = {}): Written {
  const { text, facts } = written(script, { ...options, stream: false });
  const response = parseJsonObject(text) ?? {};
  return { text, facts, response, output: filterObjects(response.output) };
}

function written(script: WriteScript, options: WriteOptions) {
  const writer = startResponsesWriter(options);
  script(writer.choice(0), writer);
  writer.end();
  return { text: writer.take().toString(), facts: writer.facts };
}

/** The data of the events of a stream. */
export function eventsOf(text: string): JsonObject[] {
  return text.split('\n\n').flatMap((block) => {
    const [, data = ''] = /^event: .+\ndata: (.+)$/.exec(block) ?? [];
    const event = parseJsonObject(data);
    return event === null ? [] : [event];
  });
}

/** The response as it is at any time: without the second at which it was completed. */
export function withoutTime({ completed_at, ...response }: JsonObject): JsonObject {
  return { ...response, isCompleted: typeof completed_at === 'number' };
}
