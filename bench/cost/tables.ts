/** All tables of `docs/cost.md`, in their order. */
import { lineTable, metadataTable, rateTable, sumsTable } from './chat-tables.ts';
import { cheapestTable, managedTable, priceTable, readyTable, restingTable } from './setting-tables.ts';
import { readSetup, type Template } from './setup.ts';

/** Of the template of the stack with its default settings. */
export function costTables(template: Template): string[] {
  const setup = readSetup(template);
  return [
    lineTable(setup),
    metadataTable(setup),
    rateTable(setup),
    sumsTable(setup),
    restingTable(template),
    readyTable(),
    cheapestTable(),
    managedTable(),
    priceTable(),
  ];
}
