import { expect, it } from 'vitest';
import { readableLine } from '#local/monitoring/readable-lines.ts';

const timestamp = '2026-06-01T12:00:30.500Z';
const time = new Date(timestamp).toTimeString().slice(0, 8);
const render = (event: string | undefined, fields: object) =>
  readableLine(`[ChatFunction] ${JSON.stringify({ timestamp, level: 'INFO', event, ...fields })}`);

const completed = {
  request_id: 'invocation',
  log_id: '0197-log',
  provider: 'openai',
  model: 'gpt-4o',
  status: 200,
  outcome: 'completed',
  input_tokens: 12,
  output_tokens: 34,
  cost_usd: 0.00037,
  latency_ms: 820,
  overhead_ms: 8,
  entry: { id: '0197-log' },
};

it('renders a request as one line', () => {
  expect(render('request_completed', { ...completed, time_to_first_token_ms: 210 })).toBe(
    `${time}  200  openai/gpt-4o  12 + 34 tokens  $0.00037  820 ms  (first token 210 ms, gateway 8 ms)  0197-log`,
  );
});

it('renders the cause of a failure, and no cost without tokens', () => {
  const { input_tokens: _, output_tokens: __, ...withoutTokens } = completed;
  const failed = {
    ...withoutTokens,
    status: 502,
    error_code: 'provider_error',
    failure_kind: 'status',
    provider_status: 500,
    cost_usd: 0,
  };

  expect(render('request_completed', failed)).toBe(
    `${time}  502  openai/gpt-4o  provider_error  provider: status 500  820 ms  (gateway 8 ms)  0197-log`,
  );
});

it('says how many refused requests a line stands for', () => {
  const refused = {
    ...completed,
    status: 429,
    error_code: 'rate_limit_exceeded',
    cost_usd: 0,
    overhead_ms: undefined,
  };
  const { input_tokens: _, output_tokens: __, ...fields } = { ...refused, latency_ms: 3 };

  expect(render('request_completed', { ...fields, refused_requests: 50 })).toBe(
    `${time}  429  openai/gpt-4o  rate_limit_exceeded  (50 refused requests)  3 ms  0197-log`,
  );
});

it('says that a request has no price', () => {
  expect(render('request_completed', { ...completed, cost_usd: 0, pricing: 'unknown' })).toBe(
    `${time}  200  openai/gpt-4o  12 + 34 tokens  no price  820 ms  (gateway 8 ms)  0197-log`,
  );
});

it('renders rejections with their request id, and the number of lines that are suppressed', () => {
  expect(
    render('key_rejected', {
      endpoint: '/ai/chat/completions',
      reason: 'unknown',
      source_ip: '127.0.0.0/24',
      suppressed: 12,
      request_id: 'invocation',
    }),
  ).toBe(
    `${time}  401  /ai/chat/completions  key unknown  from 127.0.0.0/24  (12 more not shown)  invocation`,
  );
  expect(
    render('request_rejected', {
      endpoint: '/api/logs',
      status: 400,
      error_code: 'invalid',
      suppressed: 0,
      request_id: 'invocation',
    }),
  ).toBe(`${time}  400  /api/logs  invalid  invocation`);
});

it('renders a recovery, and the entries that it restored', () => {
  const counts = { lines_read: 12, restored: 2, interrupted: 1, already_present: 0, queued_entries: 3 };
  const fields = { to: timestamp, complete: false, ...counts, request_id: 'invocation' };
  const entry = { outcome: 'interrupted', organization_id: 'org_1', log_id: '0197-log' };

  expect(render('requests_recovered', { ...fields, level: 'ERROR' })).toBe(
    `${time}  ERROR  incomplete recovery  until ${time}:  lines read 12  restored 2  interrupted 1  queued entries 3  invocation`,
  );
  expect(render('requests_recovered', { to: timestamp, complete: true, lines_read: 1 })).toBe(
    `${time}  recovery  until ${time}:  lines read 1`,
  );
  expect(render('entry_recovered', entry)).toBe(`${time}  recovered  interrupted  org_1  0197-log`);
});

it('renders other events with their fields, without metrics', () => {
  const error = { error: 'TypeError', code: null, at: 'index.mjs:1:2', request_id: 'invocation' };

  expect(render('unexpected_error', { ...error, level: 'ERROR', Stack: 'Local' })).toBe(
    `${time}  ERROR  unexpected_error  error=TypeError  at=index.mjs:1:2  [ChatFunction]  invocation`,
  );
  expect(render('signed_in', { user_id: 'user_1' })).toBe(
    `${time}  signed_in  user_id=user_1  [ChatFunction]`,
  );
});

it('does not show the line of the access log for a request that has a line of its own', () => {
  const lines = (request: string) =>
    ['200 3 ms', '200 3 ms (incomplete)', '503 3 ms'].map((end) => `${request} ${end}`);
  const shown = lines('POST /ai/chat/completions').map((line) => readableLine(line) !== null);

  expect(shown).toEqual([false, true, true]);
  expect(readableLine('GET /api/logs 200 3 ms')).toBe('GET /api/logs 200 3 ms');
});

it.each([
  ['placeholders', '{"event":"request_forwarded"}'],
  ['metrics of the rollup function', '{"event":"request_metrics"}'],
  ["Lambda's own lines", '{"time":"2026","type":"platform.report","record":{}}'],
])('does not show %s', (_, line) => {
  expect(readableLine(`[ChatFunction] ${line}`)).toBeNull();
});

it('shows the output of console without its wrapper, and every other line as it is', () => {
  const lines = ['GET /api/costs 200 3 ms', '[ChatFunction] text', '[Rollup] {"other":"text"}'];
  const error = { errorType: 'Error', errorMessage: 'failed', stackTrace: ['Error: failed', '    at f'] };

  expect(lines.map(readableLine)).toEqual(lines);
  expect(render(undefined, { message: 'printed' })).toBe('[ChatFunction] printed');
  expect(render(undefined, { message: error })).toBe('[ChatFunction] Error: failed\n    at f');
});
