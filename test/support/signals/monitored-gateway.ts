/** The local gateway with all metrics and alarms, with fault injection, and the log lines of its functions. */
import { isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import { type FaultEnvironment, startFaultEnvironment } from '#test/faults/harness/fault-environment.ts';
import { gatewayAssembly } from '../gateway-assembly.ts';

/** More than the requests of which a test waits only for the response, but not for the write of the log entry. */
export const chatConcurrency = 20;

const settings = {
  chatLimits: { firstByteSeconds: 3, idleSeconds: 3, totalSeconds: 20, drainSeconds: 1, retries: 1 },
  chatConcurrency,
  monitoring: 'all',
  metricModels: ['openai/gpt-4o'],
  canary: { model: null, everyMinutes: 15 },
} as const;

export interface FunctionLine {
  /** The display name of the function. */
  functionName: string;
  fields: JsonObject;
}

export interface ChatOptions {
  /** The function URL by default. */
  endpoint?: 'rest_api' | 'function_url';
  model?: string;
  stream?: boolean;
  apiKey?: string;
  /** Replaces the body. */
  body?: string;
  signal?: AbortSignal;
}

export interface MonitoredGateway extends FaultEnvironment {
  assemblyDirectory: string;
  lines: readonly FunctionLine[];
  /** Other lines of the local run. */
  messages: readonly string[];
  linesOf(event: string): JsonObject[];
  /** Whether all invocations of the chat function have ended: it writes log entries after its responses. */
  isIdle(): Promise<boolean>;
  /** Resolves to the status when the response has ended, and to `null` when it was cut off. */
  chat(options?: ChatOptions): Promise<number | null>;
  chatTimes(count: number, options?: ChatOptions): Promise<(number | null)[]>;
}

export async function startMonitoredGateway(): Promise<MonitoredGateway> {
  const lines: FunctionLine[] = [];
  const messages: string[] = [];
  const assemblyDirectory = await gatewayAssembly({ ...settings, metricModels: [...settings.metricModels] });
  const environment = await startFaultEnvironment(assemblyDirectory, (line) => {
    const [, functionName = '', text = ''] = /^\[(\w+)\] (\{.*\})$/s.exec(line) ?? [];
    const fields = parseJson(text);
    if (isJsonObject(fields)) lines.push({ functionName, fields });
    else messages.push(line);
  });
  const { gateway } = environment;
  let requests = 0;

  async function chat(options: ChatOptions = {}): Promise<number | null> {
    const { endpoint = 'function_url', apiKey = gateway.apiKey, model = 'openai/gpt-4o', signal } = options;
    const origin = endpoint === 'rest_api' ? gateway.baseUrl : gateway.chatUrl;
    requests += 1;
    const body = {
      model,
      messages: [{ role: 'user', content: 'Hello' }],
      user: `request-${requests}`,
      stream: options.stream ?? false,
    };
    try {
      const response = await fetch(`${origin}/ai/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: options.body ?? JSON.stringify(body),
        signal,
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return null;
    }
  }

  const countLines = (type: string) =>
    lines.filter(({ functionName, fields }) => functionName === 'ChatFunction' && fields.type === type)
      .length;

  return {
    ...environment,
    assemblyDirectory,
    lines,
    messages,
    linesOf: (event) => lines.flatMap(({ fields }) => (fields.event === event ? [fields] : [])),
    async isIdle() {
      // Reads the lines that have been written so far.
      await gateway.monitor.report();
      return countLines('platform.start') === countLines('platform.report');
    },
    chat,
    chatTimes: (count, options) => Promise.all(Array.from({ length: count }, () => chat(options))),
  };
}
