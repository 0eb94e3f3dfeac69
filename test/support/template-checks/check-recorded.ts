/** Vitest setup file. Fails a test file that has synthesized a template with findings. */
import { afterAll, expect, inject } from 'vitest';
import { checkRecordedTemplates } from './recorded-templates.ts';

afterAll(async () => {
  expect(await checkRecordedTemplates(inject('runDirectory'))).toEqual([]);
});
