// What Python sends of the lecture: the dictionaries of viz/subjects/lecture/wire.py say the same.

/** A deck that comes with the app, as its file has it. */
export interface WireShipped {
  title: string;
  slides: number;
  text: string;
}

/** What the list of slides is shown with. */
export interface WireLecture {
  shipped: WireShipped[];
}
