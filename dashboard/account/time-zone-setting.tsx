import { Suspense, useState } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { Dialog } from '#dashboard/components/overlay/dialog.tsx';
import { zoneTitle } from '#dashboard/components/values/time-zone.ts';
import { usePersonTimeZone, useProfileTimeZone, useSaveTimeZone } from '#dashboard/range/person-zone.ts';

const ZoneChoice = lazyComponent(() => import('#dashboard/range/picker/zone-choice.tsx'), 'ZoneChoice');

/** The zone of all times on all pages, with the button to choose another. */
export function TimeZoneSetting() {
  const [isOpen, setOpen] = useState(false);
  const timeZone = usePersonTimeZone();
  const chosen = useProfileTimeZone();
  const save = useSaveTimeZone();
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2 sm:justify-end">
      <span>
        {zoneTitle(timeZone)}
        {chosen === null && <span className="text-muted"> (this browser's)</span>}
      </span>
      <Button size="small" onClick={() => setOpen(true)}>
        Change time zone
      </Button>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        title="Change time zone"
        description="For all times on all pages. Billing stays in UTC."
      >
        <Suspense fallback={<Skeleton className="h-80 w-full" />}>
          <ZoneChoice
            value={chosen}
            onChoose={(zone) => {
              setOpen(false);
              save.mutate(zone);
            }}
          />
        </Suspense>
      </Dialog>
    </span>
  );
}
