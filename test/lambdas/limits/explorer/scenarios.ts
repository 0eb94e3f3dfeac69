/** Amounts and events with few, small states, in which the limits matter. */
import { byTestForm } from '#test/support/test-form.ts';
import type { Events, Scenario } from './model.ts';

const secondMs = 1000;
const noEvents: Events = { kills: 0, failures: 0, jumpsMs: [] };
/** The first one makes renewals possible; after the second one, a lease has expired that was not renewed. */
const renewalJumpsMs = [35 * secondMs, 70 * secondMs];
const expiryJumpsMs = [95 * secondMs];

const small = { maxUsd: '5', costUsd: '2', logShard: 8 };
const medium = { maxUsd: '6', costUsd: '4', logShard: 0 };
/** Costs more than it has reserved. */
const exceeding = { maxUsd: '4', costUsd: '7', logShard: 0 };
/** More than one of two items has. */
const large = { maxUsd: '8', costUsd: '3', logShard: 8 };

const oneItem: Scenario = {
  name: 'one item',
  startMs: Date.UTC(2026, 10, 10, 12, 4, 30),
  organization: { limitUsd: '10', itemCount: 1 },
  keyLimitUsd: null,
  requests: [medium, small],
  events: noEvents,
  maxRenewals: 0,
  settles: true,
  changedLimitUsd: null,
};
const twoItems: Scenario = { ...oneItem, organization: { limitUsd: '10', itemCount: 2 } };
const turnMs = Date.UTC(2026, 10, 30, 23, 59, 30);

const short: Scenario[] = [
  {
    ...oneItem,
    name: 'killed functions and expired leases',
    events: { ...noEvents, kills: 1, jumpsMs: expiryJumpsMs },
  },
  { ...oneItem, name: 'failed calls', requests: [exceeding, medium], events: { ...noEvents, failures: 1 } },
  {
    ...oneItem,
    name: 'the turn of a month',
    startMs: turnMs,
    events: { ...noEvents, jumpsMs: expiryJumpsMs },
  },
  { ...oneItem, name: 'a lower limit', requests: [medium], changedLimitUsd: '5' },
  { ...twoItems, name: 'two items', requests: [medium, large] },
  {
    ...oneItem,
    name: 'an item that owes more than its part',
    organization: { limitUsd: '9', itemCount: 3 },
    requests: [{ maxUsd: '3', costUsd: '5', logShard: 0 }, small],
  },
  {
    ...twoItems,
    name: 'killed functions and two items',
    requests: [small, large],
    events: { ...noEvents, kills: 1 },
  },
  { ...oneItem, name: 'an organization and its key', keyLimitUsd: '8', requests: [medium, small] },
];

const long: Scenario[] = [
  ...short,
  { ...oneItem, name: 'renewals', events: { ...noEvents, jumpsMs: renewalJumpsMs }, maxRenewals: 1 },
  {
    ...oneItem,
    name: 'renewals and failed calls',
    events: { kills: 0, failures: 1, jumpsMs: renewalJumpsMs },
    maxRenewals: 1,
  },
  {
    ...oneItem,
    name: 'renewals and killed functions',
    events: { kills: 1, failures: 0, jumpsMs: renewalJumpsMs },
    maxRenewals: 1,
  },
  {
    ...oneItem,
    name: 'a higher limit and killed functions',
    requests: [{ ...large, maxUsd: '11' }],
    events: { ...noEvents, kills: 1 },
    changedLimitUsd: '12',
  },
  { ...oneItem, name: 'three requests', requests: [medium, small, exceeding] },
  { ...twoItems, name: 'three requests and two items', requests: [medium, large, exceeding], settles: false },
  { ...twoItems, name: 'two items and a lower limit', requests: [large], changedLimitUsd: '7' },
  {
    ...twoItems,
    name: 'two items, with killed functions and expired leases',
    requests: [exceeding, large],
    events: { kills: 1, failures: 0, jumpsMs: expiryJumpsMs },
  },
  {
    ...twoItems,
    name: 'two items and failed calls',
    requests: [medium, large],
    events: { ...noEvents, failures: 1 },
  },
  {
    ...oneItem,
    name: 'an organization and its key, with killed functions',
    keyLimitUsd: '8',
    events: { ...noEvents, kills: 1 },
  },
];

export const scenarios = byTestForm({ short, long });
