/** What a drag says to who listens. @vitest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { DragArea, type DragHandlers, useDragSource } from '../../../renderer/ui/index.ts';
import { show } from './dom.tsx';

function Thing() {
  const { node, handle, listeners } = useDragSource('thing');
  return (
    <div ref={node}>
      <button type="button" ref={handle} onKeyDown={listeners.onKeyDown}>
        Grip
      </button>
    </div>
  );
}

test('a drop is told by the name and the place that were meant, not by what is there afterwards', async () => {
  let place = 'Position 2.';
  let name = 'Convolution';
  const handlers: DragHandlers = {
    start: () => {},
    point: () => {},
    step: () => null,
    end: () => {
      place = 'Where it was.';
      name = 'Layer';
    },
    place: () => place,
  };
  show(
    <DragArea handlers={handlers} ghost={() => null} name={() => name}>
      <Thing />
    </DragArea>,
  );
  const user = userEvent.setup();
  const told = () => document.querySelector('[id^=DndLiveRegion]')?.textContent;
  screen.getByRole('button', { name: 'Grip' }).focus();
  await user.keyboard(' ');
  await waitFor(() => expect(told()).toMatch(/picked up|Position 2/));
  await new Promise((done) => setTimeout(done));
  await user.keyboard(' ');
  await waitFor(() => expect(told()).toBe('Convolution dropped. Position 2.'));
});
