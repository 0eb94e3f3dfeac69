import { Autocomplete } from '@base-ui/react/autocomplete';
import { Field } from '@base-ui/react/field';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { modelListQuery } from '#dashboard/api/analytics.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ModelSummary } from '#lambdas/accounts/analytics/responses.ts';

const maxSuggestions = 50;

interface ModelFieldProps {
  /** Name in the errors of a form. */
  name: string;
  value: string;
  onValueChange: (value: string) => void;
  validate: (value: string) => string | null;
}

/** The model of a target, which suggests those that can be called. Others are accepted: not every model is in the list. */
export function ModelField({ name, value, onValueChange, validate }: ModelFieldProps) {
  const { id: organizationId } = useOrganization();
  const models = useQuery(modelListQuery(organizationId));
  // The list stays in the landmark of its field.
  const [container, setContainer] = useState<HTMLElement | null>(null);
  const suggestions = suggestedModels(models.data?.data ?? [], value);
  const [isOpen, setOpen] = useState(false);
  return (
    <Field.Root name={name} validate={() => validate(value)} className="flex min-w-0 flex-col gap-1.5">
      <Field.Label className="font-medium">Model</Field.Label>
      <Autocomplete.Root
        items={suggestions}
        filter={null}
        // An open list hides the rest of the page from screen readers, also if it is empty.
        open={isOpen && suggestions.length > 0}
        onOpenChange={setOpen}
        value={value}
        onValueChange={onValueChange}
        openOnInputClick
      >
        <div className="min-w-0">
          <Autocomplete.Input
            placeholder="Such as openai/gpt-4o-mini"
            spellCheck={false}
            autoCapitalize="off"
            className="h-9 w-full rounded-lg border border-control bg-raised px-3 text-base shadow-card transition-colors placeholder:text-placeholder focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent/30 data-invalid:border-danger data-invalid:focus:outline-danger/30 sm:text-sm"
          />
          <div ref={setContainer} />
        </div>
        <Autocomplete.Portal container={container}>
          <Autocomplete.Positioner
            align="start"
            sideOffset={4}
            collisionPadding={8}
            className="z-50 outline-none"
          >
            <Autocomplete.Popup className="max-h-[min(16rem,var(--available-height))] w-(--anchor-width) max-w-(--available-width) overflow-y-auto overscroll-contain rounded-xl bg-raised p-1.5 shadow-popup outline-none">
              <Autocomplete.List aria-label="Models" className="outline-none">
                {(model: string) => (
                  <Autocomplete.Item
                    key={model}
                    value={model}
                    className="flex min-h-8 cursor-pointer items-center rounded-md px-2.5 py-1.5 break-all outline-none select-none data-highlighted:bg-hover"
                  >
                    {model}
                  </Autocomplete.Item>
                )}
              </Autocomplete.List>
            </Autocomplete.Popup>
          </Autocomplete.Positioner>
        </Autocomplete.Portal>
      </Autocomplete.Root>
      <Field.Error className="text-[0.8125rem] text-danger" />
    </Field.Root>
  );
}

/** The models that can be called and have the text; none for the whole name of one. */
export function suggestedModels(
  models: readonly Pick<ModelSummary, 'id' | 'set_up'>[],
  text: string,
): string[] {
  const search = text.trim().toLowerCase();
  const found = models.filter(({ id, set_up: isSetUp }) => isSetUp && id.toLowerCase().includes(search));
  return found.some(({ id }) => id === text.trim()) ? [] : found.slice(0, maxSuggestions).map(({ id }) => id);
}
