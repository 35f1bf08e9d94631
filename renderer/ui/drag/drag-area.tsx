/**
 * Dragging things to places between rows, by pointer and by keyboard. The area tells where the pointer is or which way a key goes; whoever
 * uses it finds the place, and shows it without moving anything, so that nothing flickers while something is dragged.
 */
import {
  type Announcements,
  DndContext,
  DragOverlay,
  type KeyboardCoordinateGetter,
  KeyboardSensor,
  MeasuringStrategy,
  PointerSensor,
  useDraggable,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import {
  type KeyboardEvent as ReactKeyboardEvent,
  type ReactNode,
  type PointerEvent as ReactPointerEvent,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';

export interface Point {
  x: number;
  y: number;
}

export interface DragHandlers {
  start: (id: string, by: 'pointer' | 'keyboard') => void;
  /** The pointer is there, or what is under it has scrolled. */
  point: (point: Point) => void;
  /** A key steps to the next place; answers where that is on screen. */
  step: (by: -1 | 1) => Point | null;
  /** Ended: `drop` false when it was given up. */
  end: (id: string, drop: boolean) => void;
  /** The place as words, for who listens. */
  place: () => string;
}

export interface DragAreaProps {
  children: ReactNode;
  handlers: DragHandlers;
  /** What is drawn under the pointer. */
  ghost: (id: string) => ReactNode;
  /** What is dragged, as words. */
  name: (id: string) => string;
}

// One object: a new one would draw everything anew that can be dragged.
const afterMoving = { activationConstraint: { distance: 4 } };
const measuring = { droppable: { strategy: MeasuringStrategy.WhileDragging } };

export function DragArea({ children, handlers, ghost, name }: DragAreaProps) {
  const now = useRef({ handlers, name });
  now.current = { handlers, name };
  const [dragged, setDragged] = useState<{ id: string; by: 'pointer' | 'keyboard' } | null>(null);

  const keyboard = useMemo<{ coordinateGetter: KeyboardCoordinateGetter }>(
    () => ({
      coordinateGetter: (event, { currentCoordinates }) => {
        const by = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.code] as -1 | 1 | undefined;
        if (by === undefined) return undefined;
        event.preventDefault();
        return now.current.handlers.step(by) ?? currentCoordinates;
      },
    }),
    [],
  );
  const sensors = useSensors(useSensor(PointerSensor, afterMoving), useSensor(KeyboardSensor, keyboard));

  const byPointer = dragged?.by === 'pointer';
  useEffect(() => {
    if (!byPointer) return;
    let at: Point | null = null;
    const tell = () => at && now.current.handlers.point(at);
    const move = (event: PointerEvent) => {
      at = { x: event.clientX, y: event.clientY };
      tell();
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('scroll', tell, true);
    return () => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('scroll', tell, true);
    };
  }, [byPointer]);

  /** What a drop is told as: once it is done its place is where the thing stands, and the thing may have another name. */
  const dropped = useRef('');
  const announcements = useMemo<Announcements>(
    () => ({
      onDragStart: ({ active }) => `${now.current.name(String(active.id))} picked up.`,
      onDragMove: () => now.current.handlers.place(),
      onDragOver: () => undefined,
      onDragEnd: () => dropped.current,
      onDragCancel: ({ active }) => `${now.current.name(String(active.id))} is back where it was.`,
    }),
    [],
  );
  const end = (id: string, drop: boolean) => {
    setDragged(null);
    if (drop) dropped.current = `${name(id)} dropped. ${handlers.place()}`;
    handlers.end(id, drop);
  };

  return (
    <DndContext
      sensors={sensors}
      measuring={measuring}
      accessibility={{
        announcements,
        screenReaderInstructions: {
          draggable: 'Space picks it up, arrow keys move it, Space drops it, Escape puts it back.',
        },
      }}
      onDragStart={({ active, activatorEvent }) => {
        const by = activatorEvent instanceof KeyboardEvent ? 'keyboard' : 'pointer';
        setDragged({ id: String(active.id), by });
        handlers.start(String(active.id), by);
      }}
      onDragEnd={({ active }) => end(String(active.id), true)}
      onDragCancel={({ active }) => end(String(active.id), false)}
    >
      {children}
      {createPortal(
        <DragOverlay dropAnimation={null} zIndex={400}>
          {dragged && ghost(dragged.id)}
        </DragOverlay>,
        document.body,
      )}
    </DndContext>
  );
}

export interface DragListeners {
  onPointerDown?: (event: ReactPointerEvent) => void;
  onKeyDown?: (event: ReactKeyboardEvent) => void;
}

/** What can be dragged. `handle` belongs to what takes the keyboard with `onKeyDown`; `onPointerDown` on what the pointer may take hold of. */
export function useDragSource(id: string) {
  const { setNodeRef, setActivatorNodeRef, listeners, attributes, isDragging } = useDraggable({ id });
  return {
    node: setNodeRef,
    handle: setActivatorNodeRef,
    listeners: (listeners ?? {}) as DragListeners,
    description: attributes['aria-describedby'],
    isDragging,
  };
}

/** Where things can be dropped; its surroundings scroll when the pointer comes near their edges. */
export function useDropArea(id: string) {
  const { setNodeRef } = useDroppable({ id });
  return setNodeRef;
}
