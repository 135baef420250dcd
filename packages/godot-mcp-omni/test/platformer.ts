/** A small platformer: a hero who walks and jumps, a coin that counts, a pit that ends the game, and a menu button. */
export const PLATFORMER: Readonly<Record<string, string>> = {
  "project.godot": `config_version=5

[application]

config/name="Platformer"
run/main_scene="res://level.tscn"
config/features=PackedStringArray("4.6")

[display]

window/size/viewport_width=640
window/size/viewport_height=360
`,
  "hero.gd": `extends CharacterBody2D

const SPEED := 200.0
const JUMP := -400.0

var coins := 0


func _physics_process(delta: float) -> void:
	if not is_on_floor():
		velocity.y += 980.0 * delta
	if Input.is_action_just_pressed("ui_accept") and is_on_floor():
		velocity.y = JUMP
	velocity.x = Input.get_axis("ui_left", "ui_right") * SPEED
	move_and_slide()
`,
  "level.gd": `extends Node2D

var is_over := false
var label_history: Array[String] = []


func _on_coin_body_entered(body: Node2D) -> void:
	body.coins += 1
	$Hud/Coins.text = "Coins: %d" % body.coins
	label_history.append($Hud/Coins.text)
	$Coin.queue_free()


func _physics_process(_delta: float) -> void:
	if $Hero.position.y > 500 and not is_over:
		is_over = true
		$Hud/Over.visible = true
		print("game over")


func _on_again_pressed() -> void:
	get_tree().reload_current_scene()
`,
  "level.tscn": `[gd_scene format=3]

[ext_resource type="Script" path="res://level.gd" id="1"]
[ext_resource type="Script" path="res://hero.gd" id="2"]

[sub_resource type="RectangleShape2D" id="hero"]
size = Vector2(20, 40)

[sub_resource type="RectangleShape2D" id="floor"]
size = Vector2(400, 20)

[sub_resource type="CircleShape2D" id="coin"]
radius = 12.0

[node name="Level" type="Node2D"]
script = ExtResource("1")

[node name="Hero" type="CharacterBody2D" parent="."]
position = Vector2(60, 250)
script = ExtResource("2")

[node name="Shape" type="CollisionShape2D" parent="Hero"]
shape = SubResource("hero")

[node name="Floor" type="StaticBody2D" parent="."]
position = Vector2(200, 300)

[node name="Shape" type="CollisionShape2D" parent="Floor"]
shape = SubResource("floor")

[node name="Coin" type="Area2D" parent="."]
position = Vector2(220, 260)

[node name="Shape" type="CollisionShape2D" parent="Coin"]
shape = SubResource("coin")

[node name="Hud" type="CanvasLayer" parent="."]

[node name="Coins" type="Label" parent="Hud"]
offset_right = 200.0
offset_bottom = 26.0
text = "Coins: 0"

[node name="Over" type="Label" parent="Hud"]
visible = false
offset_left = 280.0
offset_top = 100.0
offset_right = 400.0
offset_bottom = 126.0
text = "Game over"

[node name="Again" type="Button" parent="Hud"]
offset_left = 500.0
offset_top = 10.0
offset_right = 600.0
offset_bottom = 40.0
text = "Again"

[connection signal="body_entered" from="Coin" to="." method="_on_coin_body_entered"]
[connection signal="pressed" from="Hud/Again" to="." method="_on_again_pressed"]
`,
};
