extends RefCounted
## Takes a screenshot of the game and compares it with a stored one.


## `path` is the file to write, `kept` the stored screenshot, `difference` the file for a picture of the differences and
## `shown` for the same with no side longer than `mostShown`. A screenshot with a `maxSize` is not compared.
static func take(root: Window, asked: Dictionary) -> Dictionary:
	var out := {"index": asked.index}
	var image := root.get_texture().get_image()
	if image == null:
		return out.merged({"problem": "The game draws nothing."})
	image.convert(Image.FORMAT_RGB8)
	if asked.has("maxSize"):
		var scale := minf(1.0, float(asked.maxSize) / maxi(image.get_width(), image.get_height()))
		image.resize(maxi(1, roundi(image.get_width() * scale)), maxi(1, roundi(image.get_height() * scale)))
	if image.save_png(asked.path) != OK:
		return out.merged({"problem": "The picture could not be written."})
	out.merge({"width": image.get_width(), "height": image.get_height()})
	if not FileAccess.file_exists(asked.kept):
		return out
	var kept := Image.load_from_file(asked.kept)
	if kept == null or kept.get_size() != image.get_size():
		return out.merged({"problem": "The picture that was kept is of another size." if kept != null else
			"The picture that was kept cannot be read."})
	kept.convert(Image.FORMAT_RGB8)
	return out.merged(_compare(image, kept, asked))


## Pixels that differ by more than the tolerance are red, on the stored screenshot in pale gray.
static func _compare(image: Image, kept: Image, asked: Dictionary) -> Dictionary:
	var now := image.get_data()
	var before := kept.get_data()
	if now == before:
		return {"share": 0.0, "most": 0}
	var marks := PackedByteArray()
	marks.resize(now.size())
	var differing := 0
	var most := 0
	for at: int in range(0, now.size(), 3):
		var by := maxi(absi(now[at] - before[at]), maxi(absi(now[at + 1] - before[at + 1]), absi(now[at + 2] - before[at + 2])))
		most = maxi(most, by)
		if by > int(asked.tolerance):
			differing += 1
			marks[at] = 255
		else:
			var pale := 191 + (before[at] + before[at + 1] + before[at + 2]) / 12
			marks[at] = pale
			marks[at + 1] = pale
			marks[at + 2] = pale
	if differing > 0:
		var marked := Image.create_from_data(image.get_width(), image.get_height(), false, Image.FORMAT_RGB8, marks)
		marked.save_png(asked.difference)
		var scale := minf(1.0, float(asked.mostShown) / maxi(image.get_width(), image.get_height()))
		marked.resize(maxi(1, roundi(image.get_width() * scale)), maxi(1, roundi(image.get_height() * scale)))
		marked.save_png(asked.shown)
	return {"share": differing / (now.size() / 3.0), "most": most}
