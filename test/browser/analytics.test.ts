/** The views of analytics, logs and billing in a real browser, on demo data, which takes a while to write: they share it. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type DemoDashboard, startDemoDashboard } from '#test/support/browser/demo-dashboard.ts';
import { testClockChanges } from './analytics/clock-changes.ts';
import { testColumns } from './analytics/columns.ts';
import { testComparison } from './analytics/comparison.ts';
import { testFigures } from './analytics/figures.ts';
import { testFirstView } from './analytics/first-view.ts';
import { testFrame } from './analytics/frame.ts';
import { testLinks } from './analytics/links.ts';
import { testPanels } from './analytics/panels.ts';
import { testRequestColumns } from './analytics/request-columns.ts';
import { testRequestList } from './analytics/request-list.ts';
import { testUncertainty } from './analytics/uncertainty.ts';

let demo: DemoDashboard;
beforeAll(async () => {
  demo = await startDemoDashboard();
});
afterAll(async () => {
  await demo.dashboard.stop();
  expect(demo.owner.problems()).toEqual([]);
});

describe('The figures', () => testFigures(() => demo));
describe('A comparison', () => testComparison(() => demo));
describe('Columns', () => testColumns(() => demo));
describe('The uncertain part', () => testUncertainty(() => demo));
describe('A day on which clocks change', () => testClockChanges(() => demo));
describe('Links', () => testLinks(() => demo));
describe('The list of requests', () => {
  testRequestColumns(() => demo);
  testRequestList(() => demo);
});
describe('The frame around the views', () => testFrame(() => demo));
describe('A view', () => {
  testPanels(() => demo);
  testFirstView(() => demo);
});
