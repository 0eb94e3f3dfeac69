/** Break-even points, worked by hand from the published prices. */
import { describe, expect, it } from 'vitest';
import {
  breakEvenChatsPerSecond,
  chatsPerSecondAtMost,
  instanceMonthUsd,
  managedMillionUsd,
  natMillionUsd,
} from '#bench/cost/managed-instances.ts';
import {
  breakEvenUse,
  cheapestCount,
  onDemandMillionUsd,
  provisionedMillionUsd,
  readyMonthUsd,
  savedMillionUsd,
} from '#bench/cost/provisioned.ts';

describe('an environment that is kept ready', () => {
  it('costs its memory around the clock', () => {
    // 730 h × 3600 s × $0.0000033334
    expect(readyMonthUsd(1024)).toBe(8.760175);
    expect(readyMonthUsd(128)).toBe(1.095022);
  });

  it('costs a million chats less, the more of the time it is at work', () => {
    // 625,000 GB-seconds × ($0.0000077778 + $0.0000033334 for each second ready)
    expect(provisionedMillionUsd(128, 1)).toBe(6.9445);
    expect(provisionedMillionUsd(128, 0.5)).toBe(9.027875);
  });

  it('breaks even with those on demand at 60 percent', () => {
    expect(breakEvenUse()).toBeCloseTo(0.60001, 5);
    expect(onDemandMillionUsd(128)).toBe(8.333375);
    expect(provisionedMillionUsd(128, breakEvenUse())).toBe(8.333375);
  });
});

describe('as many as pay', () => {
  it('are none where the first would be at work half of the time', () => {
    expect(cheapestCount(0.2)).toEqual({ count: 0, use: 0, served: 0 });
    expect(savedMillionUsd(128, cheapestCount(0.2))).toBe(0);
  });

  it('are one where it would be at work two thirds of the time, and a second one 53 percent', () => {
    const ready = cheapestCount(0.4);

    expect(ready.count).toBe(1);
    expect(ready.use).toBeCloseTo(2 / 3, 12);
    expect(ready.served).toBeCloseTo(1 / 3, 12);
    // A third of the chats at 625,000 × ($0.0000077778 + $0.0000050001) instead of $8.333375
    expect(savedMillionUsd(128, ready)).toBe(0.115729);
  });
});

describe('managed instances', () => {
  it('cost three instances, their management and their NAT gateways around the clock', () => {
    // (3 × $0.0725 × 1.15 + 3 × $0.045) × 730 h
    expect(instanceMonthUsd({ instances: 3, concurrency: 64 })).toBe(281.14125);
  });

  it('pay for what passes the NAT gateways', () => {
    // 106 GB × $0.045
    expect(natMillionUsd()).toBe(4.77);
  });

  it('cost a million chats the month shared by as many as they take, and the traffic', () => {
    const managed = { instances: 3, concurrency: 64 };

    expect(chatsPerSecondAtMost(managed)).toBe(38.4);
    // $281.14125 / 100.9152 million, or 50.4576 million
    expect(managedMillionUsd(managed, 1)).toBe(7.555916);
    expect(managedMillionUsd(managed, 0.5)).toBe(10.341832);
  });

  it('break even where the month costs what chats on demand would', () => {
    // $281.14125 / ($16.66675 − $4.77) million a month
    expect(breakEvenChatsPerSecond(256, 64)).toBeCloseTo(8.9923, 4);
  });

  it('never break even where they cannot take that many, or save nothing on any', () => {
    expect(breakEvenChatsPerSecond(128, 16)).toBe(null);
    expect(breakEvenChatsPerSecond(64, 64)).toBe(null);
  });
});
