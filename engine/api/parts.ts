/** What the calls of the wire work with. */
import { implement } from '@orpc/server';
import { api } from '../contract/api.ts';
import type { DeviceReports } from '../devices.ts';
import type { Kept } from '../kept.ts';
import type { Places } from '../places.ts';
import type { ProjectFiles } from '../project-files.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { RunList } from '../runs/run-list.ts';
import type { Service } from '../service.ts';
import type { SettingsFile } from '../settings.ts';
import type { Uploads } from '../uploads.ts';
import type { TaskBoard } from './task-board.ts';

export interface Parts {
  /** The workspace. */
  home: string;
  service: Service;
  settings: SettingsFile;
  projects: ProjectFiles;
  kept: Kept;
  uploads: Uploads;
  places: Places;
  devices: DeviceReports;
  runList: RunList;
  liveRuns: LiveRuns;
  tasks: TaskBoard;
}

export const wire = implement(api);
