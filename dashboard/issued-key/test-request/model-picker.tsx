import { Combobox } from '@base-ui/react/combobox';
import { Check, ChevronsUpDown } from 'lucide-react';
import { useEffect, useState } from 'react';
import { post } from '#dashboard/api/client.ts';
import { ListSearch } from '#dashboard/components/forms/list-search.tsx';
import type { CallableModel } from '#lambdas/accounts/test-request/responses.ts';

interface ModelPickerProps {
  models: readonly string[];
  value: string | null;
  onValueChange: (model: string) => void;
}

/** A choice from a list that may have hundreds of models, with a search. */
export function ModelPicker({ models, value, onValueChange }: ModelPickerProps) {
  // The list stays in the dialog.
  const [container, setContainer] = useState<HTMLElement | null>(null);
  return (
    <Combobox.Root
      items={models}
      value={value}
      onValueChange={(model) => model !== null && onValueChange(model)}
      limit={100}
    >
      <Combobox.Trigger
        aria-label={`Model: ${value ?? 'none'}`}
        className="flex h-9 min-w-0 items-center sm:flex-1 justify-between gap-2 rounded-lg border border-control bg-raised pr-2.5 pl-3 text-left text-base shadow-card transition-colors select-none hover:bg-hover sm:text-sm"
      >
        <span className="min-w-0 truncate">
          <Combobox.Value />
        </span>
        <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-muted" />
      </Combobox.Trigger>
      <div ref={setContainer} />
      <Combobox.Portal container={container}>
        <Combobox.Positioner align="start" sideOffset={6} collisionPadding={8} className="z-50 outline-none">
          <Combobox.Popup
            aria-label="Model"
            className="flex max-h-[min(22rem,var(--available-height))] w-[max(18rem,var(--anchor-width))] max-w-(--available-width) origin-(--transform-origin) flex-col rounded-xl bg-raised shadow-popup outline-none transition-[opacity,scale] duration-100 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0"
          >
            <ListSearch label="Search models" placeholder="Search models" />
            <Combobox.Empty>
              <p className="px-4 py-3 text-muted">No model matches.</p>
            </Combobox.Empty>
            <Combobox.List className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-1.5 outline-none data-empty:p-0">
              {(model: string) => (
                <Combobox.Item
                  key={model}
                  value={model}
                  className="flex min-h-8 cursor-pointer items-center gap-3 rounded-md px-2.5 py-1.5 outline-none select-none data-highlighted:bg-hover"
                >
                  <span className="min-w-0 flex-1 break-all">{model}</span>
                  <Combobox.ItemIndicator className="shrink-0 text-muted">
                    <Check aria-hidden className="size-4" />
                  </Combobox.ItemIndicator>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

export type Models =
  | { state: 'loading' }
  | { state: 'loaded'; models: readonly CallableModel[] }
  | { state: 'failed'; error: Error; retry: () => void };

/** Loads the models that a key can call. Without the query cache, which would keep the key. */
export function useModels(organizationId: string, apiKey: string): Models {
  const [attempt, setAttempt] = useState(0);
  const [models, setModels] = useState<Models>({ state: 'loading' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads again.
  useEffect(() => {
    let isCurrent = true;
    const show = (result: Models) => isCurrent && setModels(result);
    show({ state: 'loading' });
    post('/test-requests/models', {
      organization_id: organizationId,
      api_key: apiKey,
    }).then(
      ({ data }) => show({ state: 'loaded', models: data }),
      (error: Error) => show({ state: 'failed', error, retry: () => setAttempt((count) => count + 1) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [organizationId, apiKey, attempt]);
  return models;
}
