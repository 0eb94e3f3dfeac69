import { describe, expect, it } from 'vitest';
import { RejectedKeyError } from '#lambdas/access/authenticate.ts';
import { createRejectionLog, truncateAddress } from '#lambdas/access/rejection-log.ts';
import { GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { collectLogLines } from '#test/support/log-lines.ts';

function setUp() {
  const clock = { nowMs: 0 };
  const lines: Record<string, unknown>[] = [];
  const logRejection = createRejectionLog({
    log: collectLogLines((line) => lines.push(JSON.parse(line))),
    now: () => new Date(clock.nowMs),
  });
  const reject = (error: GatewayError, organizationId: string | null = null) =>
    logRejection({
      error,
      endpoint: '/api/logs',
      sourceIp: '203.0.113.77',
      organizationId,
    });
  return { clock, lines, reject };
}

describe('A rejected key', () => {
  it('is logged with the reason and the truncated address, ten times a minute', () => {
    const { clock, lines, reject } = setUp();

    for (let count = 0; count < 25; count += 1) reject(new RejectedKeyError('revoked'));
    clock.nowMs = 60_000;
    reject(new RejectedKeyError('unknown'));

    expect(lines).toHaveLength(11);
    const rejected = {
      level: 'INFO',
      event: 'key_rejected',
      source_ip: '203.0.113.0/24',
      endpoint: '/api/logs',
    };
    expect(lines[0]).toMatchObject({ ...rejected, reason: 'revoked', suppressed: 0 });
    expect(lines[10]).toMatchObject({ ...rejected, reason: 'unknown', suppressed: 15 });
  });

  it('is counted by the metric whether it has a line or not', () => {
    const { clock, lines, reject } = setUp();

    for (let count = 0; count < 30; count += 1) {
      clock.nowMs += 10_000;
      reject(new RejectedKeyError('missing'));
      for (let flood = 0; flood < 7; flood += 1) reject(new RejectedKeyError('malformed'));
    }
    clock.nowMs += 60_000;
    reject(new RejectedKeyError('missing'));

    const counted = lines.map(({ RejectedKeys }) => Number(RejectedKeys));
    expect(counted.reduce((sum, count) => sum + count)).toBe(30 * 8 + 1);
  });
});

describe('Another refused request', () => {
  it('is logged with its status, its code and the organization', () => {
    const { lines, reject } = setUp();

    reject(invalidRequestError('limit', 'limit must be a number: got secret'), 'org_1');

    expect(lines).toEqual([
      {
        timestamp: expect.any(String),
        level: 'INFO',
        event: 'request_rejected',
        request_id: null,
        function_version: '1',
        endpoint: '/api/logs',
        status: 400,
        error_code: 'invalid_request_error',
        organization_id: 'org_1',
        suppressed: 0,
      },
    ]);
  });

  it('is not logged as refused if the gateway failed, which has a line already', () => {
    const { lines, reject } = setUp();
    reject(new GatewayError('internal_error', { message: 'The gateway failed' }));
    expect(lines).toEqual([]);
  });
});

describe('truncateAddress', () => {
  it.each([
    ['203.0.113.77', '203.0.113.0/24'],
    ['2001:db8:1234:5678::1', '2001:db8:1234::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['::1', '0:0:0::/48'],
    ['pt_live_x', null],
    ['a:secret', null],
    [undefined, null],
  ])('returns for %s the network %s', (address, network) => {
    expect(truncateAddress(address)).toBe(network);
  });
});
