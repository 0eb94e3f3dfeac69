/** Requests that two environments admit, end or are killed with, on clocks that differ. */

import type { RequestKey } from '#lambdas/access/directory.ts';
import type { RateLimits } from '#lambdas/access/rate-limits.ts';
import { counterItemCount } from '#lambdas/limits/counters/keys.ts';
import { renewalIntervalMs } from '#lambdas/limits/counters/leases.ts';
import { partOf } from '#lambdas/limits/rates/rate.ts';
import type { RequestLease } from '#lambdas/limits/request-lease.ts';
import type { startRateLimitsFixture } from './fixture.ts';

export interface SimulatedRequest {
  /** After the previous one; those without a gap are sent together. */
  gapMs: number;
  environment: 0 | 1;
  logShard: number;
  assumedTokens: number;
  usedTokens: number;
  durationMs: number;
  /** Whether its function is killed at the end of the duration. */
  isKilled: boolean;
}

export interface SimulatedEvent extends SimulatedRequest {
  /** In milliseconds, by a true clock. */
  atMs: number;
  endMs: number;
  /** The name of the limit; `null` if the request was admitted. */
  refusedBy: string | null;
  /** The tokens that were taken at the admission: at most an item's part of the limit. */
  takenTokens: number;
}

interface Simulation {
  fixture: Awaited<ReturnType<typeof startRateLimitsFixture>>;
  limits: RateLimits;
  logShards: number;
  /** The lead of the environments' clocks, in milliseconds. */
  skewsMs: readonly [number, number];
  requests: readonly SimulatedRequest[];
}

interface Step {
  atMs: number;
  run(): Promise<void>;
}

/** Resolves to the requests in their order. After the last one, everything ends or is killed. */
export async function simulate(simulation: Simulation): Promise<{
  apiKey: RequestKey;
  events: SimulatedEvent[];
  endMs: number;
}> {
  const { fixture, limits, logShards, skewsMs, requests } = simulation;
  const apiKey = { ...(await fixture.createLimitedKey({ key: limits })), log_shards: logShards };
  const environments = [fixture.startEnvironment(), fixture.startEnvironment()] as const;
  const events: SimulatedEvent[] = [];
  const steps: Step[] = [];

  const add = (step: Step) => {
    const place = steps.findIndex(({ atMs }) => atMs > step.atMs);
    steps.splice(place === -1 ? steps.length : place, 0, step);
  };
  const addRenewal = (event: SimulatedEvent, lease: RequestLease, atMs: number) => {
    if (atMs >= event.endMs) return;
    const run = async () => {
      environments[event.environment].setTime(atMs + skewsMs[event.environment]);
      await lease.renew();
      addRenewal(event, lease, atMs + renewalIntervalMs);
    };
    add({ atMs, run });
  };
  const send = async (atMs: number, request: SimulatedRequest) => {
    const { environment, logShard, assumedTokens, usedTokens, durationMs, isKilled } = request;
    const sent = { logShard, tokens: assumedTokens };
    const { error, refusal, lease } = await environments[environment].sendAt(
      atMs + skewsMs[environment],
      apiKey,
      sent,
    );
    const refusedBy = refusal === null ? null : refusal.by === 'rate_limit' ? refusal.limit : refusal.by;
    if ((error === null) !== (refusedBy === null)) throw new Error('The limits were not checked');
    const takenTokens = Math.min(assumedTokens, firstPart(limits.tokens_per_minute, logShards));
    const event = { ...request, atMs, endMs: atMs + durationMs, refusedBy, takenTokens };
    events.push(event);
    if (lease === null) return;
    addRenewal(event, lease, atMs + renewalIntervalMs);
    if (isKilled) return;
    const run = async () => {
      environments[environment].setTime(event.endMs + skewsMs[environment]);
      await lease.end({ costUsd: '0', tokens: usedTokens });
    };
    add({ atMs: event.endMs, run });
  };

  let nowMs = 0;
  const runUntil = async (untilMs: number) => {
    for (let step = steps[0]; step !== undefined && step.atMs <= untilMs; step = steps[0]) {
      steps.shift();
      await step.run();
    }
  };
  for (const [index, { gapMs }] of requests.entries()) {
    if (index > 0 && gapMs === 0) continue;
    nowMs += gapMs;
    await runUntil(nowMs);
    const next = requests.findIndex((request, place) => place > index && request.gapMs > 0);
    const together = requests.slice(index, next === -1 ? undefined : next);
    await Promise.all(together.map((request) => send(nowMs, request)));
  }
  await runUntil(Number.POSITIVE_INFINITY);
  return { apiKey, events, endMs: Math.max(nowMs, ...events.map(({ endMs }) => endMs)) };
}

function firstPart(limit: number | undefined, logShards: number): number {
  return limit === undefined ? 0 : partOf(limit, 0, counterItemCount(logShards));
}
