/** Renders the functions' log lines for the terminal of `npm start`. The log files have the original lines. */
import { isObject, type JsonObject, parseJson } from '../untyped-json.ts';

/** The access log's line of a request that `request_completed` shows too. */
const completedRequest = /^POST \/(?:\w+\/)?ai\/chat\/completions 200 \d+ ms$/;

/**
 * Returns `null` for a line that is not shown: placeholders, metrics, and Lambda's own lines. Other lines of the local run
 * itself stay as they are.
 */
export function readableLine(line: string): string | null {
  if (completedRequest.test(line)) return null;
  const [, functionName = '', text = ''] = /^\[(\w+)\] (\{.*\})$/s.exec(line) ?? [];
  const fields = parseJson(text);
  if (!isObject(fields)) return line;
  if (isPlatformLine(fields)) return null;
  const { event } = fields;
  const render = typeof event === 'string' ? renderings[event] : undefined;
  if (render !== undefined) return render(fields);
  if (event !== undefined) return renderEvent(fields, functionName);
  return fields.message === undefined ? line : `[${functionName}] ${renderMessage(fields)}`;
}

function isPlatformLine({ type }: JsonObject): boolean {
  return typeof type === 'string' && type.startsWith('platform.');
}

const renderings: Record<string, (fields: JsonObject) => string | null> = {
  request_forwarded: () => null,
  request_metrics: () => null,
  request_completed: renderRequest,
  request_rejected: (fields) =>
    joined([
      time(fields),
      fields.status,
      fields.endpoint,
      fields.error_code,
      fields.organization_id,
      suppressed(fields),
      fields.request_id,
    ]),
  entry_recovered: (fields) =>
    joined([time(fields), 'recovered', fields.outcome, fields.organization_id, fields.log_id]),
  requests_recovered: (fields) =>
    joined([
      time(fields),
      fields.level === 'ERROR' && 'ERROR',
      fields.complete === false ? 'incomplete recovery' : 'recovery',
      `until ${time({ timestamp: fields.to })}:`,
      ...recoveryCounts.flatMap((name) => {
        const count = fields[name];
        return typeof count === 'number' && count > 0 ? `${name.replaceAll('_', ' ')} ${count}` : [];
      }),
      fields.request_id,
    ]),
  key_rejected: (fields) =>
    joined([
      time(fields),
      401,
      fields.endpoint,
      `key ${fields.reason}`,
      fields.source_ip && `from ${fields.source_ip}`,
      suppressed(fields),
      fields.request_id,
    ]),
};

const recoveryCounts = [
  'lines_read',
  'restored',
  'interrupted',
  'already_present',
  'running',
  'waiting',
  'unreadable',
  'queued_entries',
  'dead_letters',
];

function renderRequest(fields: JsonObject): string {
  const { status, provider, model, error_code: code, input_tokens: input, output_tokens: output } = fields;
  const hasTokens = input !== undefined || output !== undefined;
  return joined([
    time(fields),
    status,
    [provider, model].filter(isPresent).join('/'),
    code,
    fields.failure_kind &&
      `provider: ${[fields.failure_kind, fields.provider_status].filter(isPresent).join(' ')}`,
    hasTokens && `${input ?? 0} + ${output ?? 0} tokens`,
    hasTokens && cost(fields),
    refusedRequests(fields),
    milliseconds(fields.latency_ms),
    durations(fields),
    fields.log_id,
  ]);
}

function refusedRequests({ refused_requests: count }: JsonObject): string | null {
  return typeof count === 'number' && count > 1 ? `(${count} refused requests)` : null;
}

function cost({ pricing, cost_usd: usd }: JsonObject): string | null {
  if (pricing === 'unknown') return 'no price';
  return typeof usd === 'number' ? `$${toDecimal(usd)}` : null;
}

function durations(fields: JsonObject): string | null {
  const firstToken = milliseconds(fields.time_to_first_token_ms);
  const gateway = milliseconds(fields.overhead_ms);
  const parts = [firstToken && `first token ${firstToken}`, gateway && `gateway ${gateway}`].filter(
    isPresent,
  );
  return parts.length === 0 ? null : `(${parts.join(', ')})`;
}

function renderEvent(fields: JsonObject, functionName: string): string {
  const { timestamp: _, level, request_id: id, function_version: __, event, entry: ___, ...others } = fields;
  // Names of metrics begin with a capital letter.
  const details = Object.entries(others).filter(([name, value]) => /^[a-z]/.test(name) && isPresent(value));
  return joined([
    time(fields),
    level === 'ERROR' && level,
    event,
    ...details.map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`),
    `[${functionName}]`,
    id,
  ]);
}

/** The output of `console`, which Lambda wraps. */
function renderMessage({ message }: JsonObject): string {
  if (!isObject(message)) return String(message);
  return Array.isArray(message.stackTrace) ? message.stackTrace.join('\n') : JSON.stringify(message);
}

function time({ timestamp }: JsonObject): string {
  return new Date(String(timestamp)).toTimeString().slice(0, 8);
}

function milliseconds(value: unknown): string | null {
  return typeof value === 'number' ? `${value} ms` : null;
}

/** Without an exponent, which `String` gives small costs. */
function toDecimal(value: number): string {
  return value.toFixed(8).replace(/\.?0+$/, '');
}

function suppressed({ suppressed: count }: JsonObject): string | null {
  return typeof count === 'number' && count > 0 ? `(${count} more not shown)` : null;
}

function joined(parts: readonly unknown[]): string {
  return parts.filter((part) => isPresent(part) && part !== false && part !== '').join('  ');
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
